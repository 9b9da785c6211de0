//! The tab of a task: what is done and read there, and how it is kept within its origins.

use szk_tools::browser::{
    Act, ActNavigation, ActOutput, History as Move, NavigateInput, SnapshotInput, TabRow, Tabs,
    TabsAction, TabsInput,
};
use szk_tools::{Call, Code, Done, Failure, Image};

use crate::running::Running;

/// What the model hears of a page that it may not see.
const OUTSIDE: &str = "The page is outside of the origins of the task: nothing is done or read there. Go to an address within them with `browser_navigate`.";
/// Milliseconds that going back may take: what cannot be shown again is left to the model.
const BACK: u64 = 10_000;

/// Where the tab is, if something has to be said of it.
pub(super) enum PageAddress {
    /// Within the origins, where it was brought back, or where another tab was closed.
    Back(String),
    /// Outside of them.
    Outside(String),
}

impl PageAddress {
    pub(super) fn said(self) -> String {
        match self {
            Self::Back(said) | Self::Outside(said) => said,
        }
    }
}

/// Whether a call can lead to where the task may be, and does nothing to the page that is there.
fn leads_back(call: &Call) -> bool {
    match call {
        Call::BrowserNavigate(input) => input.url.is_some(),
        Call::WorkflowLogin(input) => input.url.is_some(),
        Call::BrowserTabs(input) => matches!(
            input.action.unwrap_or_default(),
            TabsAction::List | TabsAction::Focus
        ),
        _ => false,
    }
}

/// What the model hears of an act.
pub(super) struct ActReport {
    pub(super) text: String,
    /// Pictures of the page.
    pub(super) images: Vec<Image>,
    /// Whether the page is another one now, or something is in the way: nothing that was planned before
    /// may still be right.
    pub(super) turned: bool,
    /// Whether it was not done.
    pub(super) failed: bool,
}

impl From<String> for ActReport {
    fn from(text: String) -> Self {
        Self {
            text,
            images: Vec::new(),
            turned: false,
            failed: false,
        }
    }
}

impl Running<'_> {
    /// The tabs. If the keeper has died, this starts the next one, which loads the pages anew.
    async fn rows(&mut self) -> Result<Vec<TabRow>, Failure> {
        let input = TabsInput {
            session: Some(self.session.clone()),
            ..TabsInput::default()
        };
        let answer = self.call(input.into()).await?;
        Ok(answer.read::<Tabs>()?.tabs)
    }

    /// Carries out an operation, and says what came of it.
    pub(super) async fn act(&mut self, call: Call) -> Result<ActReport, Failure> {
        // Pages go elsewhere by themselves: nothing is done there.
        match self.come_back().await? {
            Some(PageAddress::Back(said)) => {
                return Ok(ActReport {
                    turned: true,
                    ..said.into()
                });
            }
            Some(PageAddress::Outside(said)) if !leads_back(&call) => {
                return Ok(ActReport {
                    failed: true,
                    ..said.into()
                });
            }
            Some(PageAddress::Outside(_)) | None => {}
        }
        let acts = matches!(call, Call::BrowserAct(_));
        let outcome = self.call(call).await;
        let back = self.come_back().await?.map(PageAddress::said);
        let mut told = match outcome {
            // What a failure quotes may come from the page as well.
            Err(failure) if is_final(&failure) => return Err(failure),
            Err(failure) => ActReport {
                failed: true,
                ..self.heard(failure).to_string().into()
            },
            Ok(_) if back.is_some() => String::new().into(),
            Ok(response) => {
                let act = match acts {
                    true => response.read::<Act>()?,
                    false => ActOutput::default(),
                };
                let mut text = self.fence.around(&response.summary);
                // It would look next, and each answer costs more than the page. One that cannot be read yet
                // is left to the next answer.
                if arrives(&act)
                    && let Ok(seen) = self.look().await
                {
                    text = format!("{text}\nThe page now:\n{seen}");
                }
                ActReport {
                    text,
                    images: response.images,
                    turned: turns(&act),
                    failed: false,
                }
            }
        };
        if let Some(back) = back {
            told.text = format!("{}\n{back}", told.text);
            told.turned = true;
        }
        Ok(told)
    }

    /// Brings the tab back within its origins if it was there, closes tabs that it opened elsewhere, and says
    /// so. Where the person was, or another tab is, szk does not go back from: the model has to leave.
    pub(super) async fn come_back(&mut self) -> Result<Option<PageAddress>, Failure> {
        let rows = self.rows().await?;
        let mut said = Vec::new();
        for row in &rows {
            let opened = row.opener.as_ref() == Some(&self.tab);
            if opened && !self.origins.hold(&row.url) {
                let input = TabsInput {
                    session: Some(self.session.clone()),
                    action: Some(TabsAction::Close),
                    tab: Some(row.id.clone()),
                    ..TabsInput::default()
                };
                self.call(input.into()).await?;
                said.push("A tab outside of the origins of the task was closed.".to_owned());
            }
        }
        let Some(row) = current(&rows) else {
            return Ok(None);
        };
        self.tab.clone_from(&row.id);
        let mut outside = !self.origins.hold(&row.url);
        if outside && self.within.as_ref() == Some(&row.id) {
            outside = !self.went_back(&row).await?;
            if !outside {
                said.push("The page had left the origins of the task; szk went back.".to_owned());
            }
        }
        self.within = (!outside).then_some(row.id);
        // At the very start it may be anywhere; the model sees nothing of it.
        if outside && self.outcome.steps > 0 {
            said.push(OUTSIDE.to_owned());
            return Ok(Some(PageAddress::Outside(said.join("\n"))));
        }
        Ok((!said.is_empty()).then(|| PageAddress::Back(said.join("\n"))))
    }

    /// Goes back one page; whether that led back within the origins.
    async fn went_back(&mut self, row: &TabRow) -> Result<bool, Failure> {
        let back = NavigateInput {
            session: Some(self.session.clone()),
            tab: Some(row.id.clone()),
            history: Some(Move::Back),
            timeout_ms: Some(BACK),
            ..NavigateInput::default()
        };
        // Whether it worked shows in where the tab is.
        drop(self.call(back.into()).await);
        let rows = self.rows().await?;
        let now = rows.iter().find(|now| now.id == row.id);
        Ok(now.is_some_and(|now| self.origins.hold(&now.url)))
    }

    /// The page as the model may see it.
    pub(super) async fn look(&mut self) -> Result<String, Failure> {
        let rows = self.rows().await?;
        let Some(row) = current(&rows).filter(|row| self.origins.hold(&row.url)) else {
            return Ok(OUTSIDE.to_owned());
        };
        self.within = Some(row.id.clone());
        let input = SnapshotInput {
            session: Some(self.session.clone()),
            tab: Some(row.id),
            ..SnapshotInput::default()
        };
        let seen = self.call(input.into()).await?;
        Ok(self.fence.around(&seen.summary))
    }
}

/// Whether an act led to another document that is there.
fn arrives(act: &ActOutput) -> bool {
    let there = |to: &ActNavigation| to.state == "arrived" && !to.in_frame;
    act.navigation.as_ref().is_some_and(there) && !stands(act)
}

/// Whether a dialog holds up the page.
fn stands(act: &ActOutput) -> bool {
    act.dialogs.iter().any(|dialog| dialog.accepted.is_none())
}

/// Whether an act led to another document, closed or opened a tab, or left a dialog open.
fn turns(act: &ActOutput) -> bool {
    let elsewhere = |to: &ActNavigation| to.state != "within" && !to.in_frame;
    act.navigation.as_ref().is_some_and(elsewhere)
        || stands(act)
        || !act.new_tabs.is_empty()
        || act.closed
}

/// The tab that calls without a tab mean; none if this client has no tab yet, and would get its own.
pub(super) fn current(rows: &[TabRow]) -> Option<TabRow> {
    rows.iter().find(|row| row.current).cloned()
}

/// Whether there is no going on after it: the session is gone, or the model.
pub(super) fn is_final(failure: &Failure) -> bool {
    matches!(
        failure.code,
        Code::SessionNotFound
            | Code::ProfileLocked
            | Code::BrowserNotFound
            | Code::Storage
            | Code::Cancelled
            | Code::Internal
    ) || (failure.code == Code::BrowserCrashed
        && failure.effect == Done::None
        && !failure.retryable)
}
