//! Goes through a login step by step.

mod judge;

use std::time::Duration;

use szk_page::act::Act;
use szk_page::forms::{Button, Field, Marks, Stage, Survey, Wanted, stage};
use szk_page::snapshot::Handle;
use szk_tools::workflow::{LoginInput, LoginOutcome, LoginReason};
use szk_tools::{Code, Failure, Progress};
use tokio::time::Instant;

use judge::SURE;

use super::attempt::{Attempt, CookieFingerprints, cookies};
use super::evidence::{Condition, address};
use super::{Credentials, step};
use crate::workflow::page::{Done, WorkflowPage, shown};

/// Pause between two readings of a page.
const LOOK: Duration = Duration::from_millis(150);

/// How a login ended.
#[derive(Debug)]
pub(super) struct LoginEnd {
    pub(super) outcome: LoginOutcome,
    pub(super) reason: Option<LoginReason>,
    pub(super) message: Option<String>,
    pub(super) checked: Option<String>,
    pub(super) url: String,
}

/// A login in progress.
pub(super) struct Flow<'a> {
    page: &'a WorkflowPage<'a>,
    given: Credentials,
    condition: Condition,
    wanted: Wanted,
    attempt: Attempt,
    steps: Vec<String>,
    progress: &'a (dyn Fn(Progress) + Send + Sync),
    user_given: bool,
    password_given: bool,
    password_sent: bool,
    opened: bool,
    /// The condition already held before anything was sent, so it proves nothing.
    held: bool,
    /// The page's messages before something was sent.
    said: Vec<String>,
    /// The messages of its dialogs after that.
    dialogs: Vec<String>,
    /// When the document began from which something was sent.
    born: f64,
    seen: String,
    since: Instant,
}

impl<'a> Flow<'a> {
    pub(super) fn new(
        page: &'a WorkflowPage<'a>,
        input: &LoginInput,
        given: Credentials,
        attempt: Attempt,
        steps: Vec<String>,
        progress: &'a (dyn Fn(Progress) + Send + Sync),
    ) -> Self {
        let condition = Condition::of(input);
        let marks = Marks {
            user: input.username_field.clone(),
            password: input.password_field.clone(),
            submit: input.submit.clone(),
        };
        Self {
            page,
            given,
            wanted: condition.wanted(Wanted {
                marks,
                ..Wanted::default()
            }),
            condition,
            attempt,
            steps,
            progress,
            user_given: false,
            password_given: false,
            password_sent: false,
            opened: false,
            held: false,
            said: Vec::new(),
            dialogs: Vec::new(),
            born: 0.0,
            seen: String::new(),
            since: Instant::now(),
        }
    }

    /// A recipe has sent all that the form asks for: from now on the page is only looked at.
    pub(super) fn all_is_sent(&mut self) {
        (self.user_given, self.password_given, self.password_sent) = (true, true, true);
    }

    /// Whether this call has filled anything in.
    pub(super) fn begun(&self) -> bool {
        self.user_given || self.password_given || self.opened
    }

    pub(super) fn into_parts(self) -> (Attempt, Vec<String>) {
        (self.attempt, self.steps)
    }

    /// Continues until the page shows how the login ended, or the time is up.
    pub(super) async fn run(&mut self) -> Result<LoginEnd, Failure> {
        loop {
            let survey = self.page.survey(&self.wanted).await?;
            let stage = stage(&survey);
            let calm = self.calm(&survey, &stage);
            if let Some(ending) = self.judge(&survey, &stage, calm).await? {
                return Ok(ending);
            }
            let went_on = self.go_on(&survey, &stage, calm).await?;
            if went_on && Instant::now() + LOOK < self.page.whole {
                continue;
            }
            if Instant::now() + LOOK >= self.page.whole {
                return Ok(self.unknown(&survey));
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// How long the page has not changed.
    fn calm(&mut self, survey: &Survey, stage: &Stage<'_>) -> Duration {
        let documents = survey.documents.iter();
        let places: Vec<String> = documents.map(|d| format!("{} {}", d.url, d.born)).collect();
        let now = format!(
            "{:?} {places:?} {:?}",
            std::mem::discriminant(stage),
            survey.messages()
        );
        if now != self.seen {
            self.seen = now;
            self.since = Instant::now();
        }
        self.since.elapsed()
    }

    /// Does the next step, if there is one; returns false if it has to wait for the page.
    async fn go_on(
        &mut self,
        survey: &Survey,
        stage: &Stage<'_>,
        calm: Duration,
    ) -> Result<bool, Failure> {
        match stage {
            Stage::Password {
                user,
                password,
                submit,
                besides,
            } if !self.password_sent => {
                // Check first, before filling in a form that must not get the password.
                if let Some(given) = &self.given.password {
                    given.for_origin(survey.origin_of(password))?;
                }
                let user = user.filter(|user| !self.user_given && !user.readonly && !user.disabled);
                if let Some(user) = user
                    && !self.fill_user(survey, user).await?
                {
                    return Ok(true);
                }
                if !self.password_given && !self.fill_password(survey, password).await? {
                    return Ok(true);
                }
                // A person then fills in the rest of the form, and sends it.
                if besides.is_some() {
                    return Ok(false);
                }
                self.password_sent = true;
                self.send(password, *submit).await
            }
            Stage::User { user, submit } if !self.user_given => {
                if !self.fill_user(survey, user).await? {
                    return Ok(true);
                }
                self.send(user, *submit).await
            }
            Stage::Other {
                sign_in: Some(link),
                ..
            } if !self.attempt.begun && !self.opened && calm >= SURE => {
                self.opened = true;
                self.steps.push(format!("pressed {}", shown(&link.name)));
                self.page
                    .must(Act::Click(szk_page::act::Clicking::default()), link.handle)
                    .await?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    async fn fill_user(&mut self, survey: &Survey, field: &Field) -> Result<bool, Failure> {
        let Some(user) = self.given.user.clone() else {
            // Someone, or the site, has already filled it.
            if !field.empty {
                self.user_given = true;
                return Ok(true);
            }
            return Err(missing("a user name", "`username`"));
        };
        let user = user.for_origin(survey.origin_of(field))?;
        self.before(survey, field).await?;
        if self.fill(field.handle, user).await?.is_none() {
            return Ok(false);
        }
        self.user_given = true;
        self.note(format!("filled {} with the user name", shown(name(field))));
        Ok(true)
    }

    async fn fill_password(&mut self, survey: &Survey, field: &Field) -> Result<bool, Failure> {
        let Some(password) = self.given.password.clone() else {
            return Err(missing("a password", "`secret`"));
        };
        let password = password.for_origin(survey.origin_of(field))?;
        self.before(survey, field).await?;
        match self.fill(field.handle, password).await? {
            None => Ok(false),
            Some(true) => Err(Failure::new(
                Code::NotActionable,
                format!("{} does not hold the given password", shown(name(field))),
            )
            .hint("the field may limit the length or the kind of characters")),
            Some(false) => {
                self.password_given = true;
                self.note(format!("filled {} with the password", shown(name(field))));
                Ok(true)
            }
        }
    }

    /// Fills a field; returns whether it now holds something else, or `None` if it was gone.
    async fn fill(&mut self, field: Handle, text: &str) -> Result<Option<bool>, Failure> {
        match self.page.must(Act::Fill(text.to_owned()), field).await? {
            Done::Gone => {
                tokio::time::sleep(LOOK).await;
                Ok(None)
            }
            Done::Did(did) => Ok(Some(did.differs)),
        }
    }

    async fn send(&mut self, field: &Field, submit: Option<&Button>) -> Result<bool, Failure> {
        let button = submit.map(|button| (button.handle, button.name.as_str()));
        let (done, how) = self.page.send(button, field.handle).await?;
        if let Done::Did(did) = done {
            let dialogs = did.outcome.dialogs.into_iter();
            self.dialogs.extend(dialogs.map(|dialog| dialog.message));
        }
        self.note(how);
        // Whatever it looked like before, look at it anew.
        self.seen.clear();
        Ok(true)
    }

    /// Records the state before anything is filled in.
    async fn before(&mut self, survey: &Survey, field: &Field) -> Result<(), Failure> {
        self.said = survey.messages();
        let lines = survey.documents.iter().flat_map(|d| d.text.lines());
        self.said.extend(lines.map(|line| line.trim().to_owned()));
        self.dialogs.clear();
        self.held = self.condition.holds(survey);
        let of_field = survey
            .documents
            .iter()
            .find(|d| d.fields.iter().any(|other| other.handle == field.handle));
        self.born = of_field.map_or(0.0, |document| document.born);
        if !self.attempt.begun {
            self.attempt = Attempt {
                before: Some(CookieFingerprints::of(&self.cookies().await?)),
                form_url: address(survey).to_owned(),
                begun: true,
            };
        }
        Ok(())
    }

    async fn cookies(&self) -> Result<Vec<szk_runtime::state::Cookie>, Failure> {
        let (running, _) = self.page.keeper.tab_as_it_is(Some(&self.page.tab)).await?;
        Ok(cookies(running.supervisor.connection()).await)
    }

    fn note(&mut self, done: String) {
        let number = u32::try_from(self.steps.len()).unwrap_or(u32::MAX);
        (self.progress)(step(&done, number));
        self.steps.push(done);
    }
}

fn missing(what: &str, field: &str) -> Failure {
    Failure::invalid(format!("the page asks for {what}")).hint(format!("call again with {field}"))
}

/// A field's name as people know it.
fn name(field: &Field) -> &str {
    [&field.name, &field.near, &field.placeholder, &field.attr]
        .into_iter()
        .find(|name| !name.is_empty())
        .map_or(field.role.as_str(), String::as_str)
}
