//! Judges from the page how the login ended.

use std::time::Duration;

use szk_page::forms::{Stage, Survey, Verdict, verdict, verdict_of_text};
use szk_tools::Failure;
use szk_tools::workflow::{LoginOutcome, LoginReason};

use super::super::evidence::{self, address};
use super::{Flow, LoginEnd};
use crate::workflow::page::shown;

/// How long a page must stay the same before it counts: pages navigate on their own.
const SETTLED: Duration = Duration::from_millis(600);
/// The same before giving up.
pub(super) const SURE: Duration = Duration::from_millis(1500);
/// How long to wait for a page that shows nothing.
const PATIENCE: Duration = Duration::from_secs(6);

impl Flow<'_> {
    /// Judges how it ended, if the page shows it.
    pub(super) async fn judge(
        &mut self,
        survey: &Survey,
        stage: &Stage<'_>,
        calm: Duration,
    ) -> Result<Option<LoginEnd>, Failure> {
        let form = matches!(stage, Stage::Password { .. } | Stage::User { .. });
        let begun = self.attempt.begun;
        let telling = match stage {
            Stage::Other { .. } | Stage::Passing => calm >= SETTLED,
            _ => begun && !self.held && calm >= SURE,
        };
        if telling && self.condition.holds(survey) {
            let checked = self.condition.words();
            let already = (!begun).then_some(LoginReason::Already);
            return Ok(Some(LoginEnd {
                checked: Some(checked),
                reason: already,
                ..ending(LoginOutcome::LoggedIn, None, survey)
            }));
        }
        let person = |reason| {
            Ok(Some(ending(
                LoginOutcome::NeedsPerson,
                Some(reason),
                survey,
            )))
        };
        // The page has to answer first.
        if begun
            && (self.sent() || !form)
            && calm >= SETTLED
            && let Some(ending) = self.refusal(survey, stage, calm)
        {
            return Ok(Some(ending));
        }
        match stage {
            Stage::Password {
                besides: Some(what),
                ..
            } if self.password_given && !self.password_sent && calm >= SURE => match what {
                Verdict::Captcha => person(LoginReason::Captcha),
                _ => person(LoginReason::SecondFactor),
            },
            Stage::SecondFactor if calm >= SETTLED => person(LoginReason::SecondFactor),
            // The browser alone solves some of them.
            Stage::Captcha if calm >= SURE => person(LoginReason::Captcha),
            Stage::NewPassword if begun && calm >= SETTLED => person(LoginReason::NewPassword),
            Stage::Other { sign_out, .. } if !self.condition.is_given() && calm >= SETTLED => {
                let found = match (begun, *sign_out) {
                    (false, None) => None,
                    (false, Some(name)) => Some(format!("the page offers {}", shown(name))),
                    (true, _) => {
                        let cookies = self.cookies().await?;
                        evidence::found(survey, *sign_out, &cookies, &self.attempt)
                    }
                };
                Ok(found.map(|checked| LoginEnd {
                    checked: Some(checked),
                    reason: (!begun).then_some(LoginReason::Already),
                    ..ending(LoginOutcome::LoggedIn, None, survey)
                }))
            }
            _ => Ok(None),
        }
        .map(|ending| ending.or_else(|| self.given_up(survey, stage, calm)))
    }

    /// The outcome for a page that has settled and shows nothing.
    fn given_up(&self, survey: &Survey, stage: &Stage<'_>, calm: Duration) -> Option<LoginEnd> {
        let waits = match stage {
            Stage::Passing => true,
            Stage::Password { .. } => !self.password_sent,
            Stage::User { .. } => !self.user_given,
            Stage::Other { sign_in, .. } => {
                sign_in.is_some() && !self.attempt.begun && !self.opened
            }
            _ => false,
        };
        (!waits && calm >= PATIENCE).then(|| self.unknown(survey))
    }

    /// Whether this call has sent anything.
    fn sent(&self) -> bool {
        self.user_given || self.password_sent
    }

    /// The page's reason to refuse, if there is one.
    fn refusal(&self, survey: &Survey, stage: &Stage<'_>, calm: Duration) -> Option<LoginEnd> {
        let refused = |reason, message: Option<String>| LoginEnd {
            message,
            ..ending(LoginOutcome::Refused, Some(reason), survey)
        };
        let known = |text: &String| self.said.iter().any(|said| said.contains(text.as_str()));
        let mut messages = survey.messages();
        messages.retain(|text| !known(text));
        messages.extend(self.dialogs.iter().cloned());
        for message in &messages {
            match verdict(message) {
                Some(Verdict::Wrong) => {
                    return Some(refused(
                        LoginReason::WrongCredentials,
                        Some(message.clone()),
                    ));
                }
                Some(Verdict::Locked) => {
                    return Some(refused(LoginReason::Locked, Some(message.clone())));
                }
                _ => {}
            }
        }
        for document in &survey.documents {
            let new: Vec<&str> = document
                .text
                .lines()
                .filter(|line| !known(&line.trim().to_owned()))
                .collect();
            match verdict_of_text(&new.join("\n")) {
                Some((Verdict::Wrong, line)) => {
                    return Some(refused(
                        LoginReason::WrongCredentials,
                        Some(line.to_owned()),
                    ));
                }
                Some((Verdict::Locked, line)) => {
                    return Some(refused(LoginReason::Locked, Some(line.to_owned())));
                }
                _ => {}
            }
        }
        let again = match stage {
            Stage::Password { .. } => self.password_sent,
            Stage::User { .. } => self.user_given,
            _ => false,
        };
        if !again || calm < SURE {
            return None;
        }
        if let Some(message) = messages.first() {
            return Some(refused(LoginReason::Message, Some(message.clone())));
        }
        let new_document = !survey.documents.iter().any(|d| same(d.born, self.born));
        new_document.then(|| refused(LoginReason::FormAgain, None))
    }

    /// The outcome if the page tells nothing.
    pub(super) fn unknown(&self, survey: &Survey) -> LoginEnd {
        let reason = match self.attempt.begun {
            true => LoginReason::NoSuccess,
            false => LoginReason::NoForm,
        };
        let mut messages = survey.messages();
        messages.retain(|text| !self.said.contains(text));
        LoginEnd {
            message: messages.into_iter().next(),
            ..ending(LoginOutcome::Unknown, Some(reason), survey)
        }
    }
}

fn ending(outcome: LoginOutcome, reason: Option<LoginReason>, survey: &Survey) -> LoginEnd {
    LoginEnd {
        outcome,
        reason,
        message: None,
        checked: None,
        url: address(survey).to_owned(),
    }
}

/// Both are copies of the same number.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() < f64::EPSILON
}
