//! `session_delete`: deletes profiles, but never one with a live keeper.

use jiff::{SignedDuration, Timestamp};
use szk_store::{LockError, Profile};
use szk_tools::session::{Delete, DeleteInput, DeleteOutput};
use szk_tools::{Code, Done, Failure, Response};
use szk_wire::failure;

use crate::{Client, names};

/// The first moment there is, if that is longer ago.
fn days_ago(days: u32) -> Timestamp {
    Timestamp::now()
        .checked_sub(SignedDuration::from_hours(24 * i64::from(days)))
        .unwrap_or(Timestamp::MIN)
}

impl Client {
    /// Deletes by name or glob. Takes all locks before deleting the first profile, so that one open
    /// session refuses the whole call.
    pub(crate) async fn delete(&self, input: &DeleteInput) -> Result<Response, Failure> {
        let mut profiles = self.chosen(&input.session)?;
        if let Some(days) = input.unused_days {
            let limit = days_ago(days);
            // A profile that was never opened has no time, and nothing to lose.
            profiles.retain(|profile| profile.last_used().is_none_or(|used| used < limit));
        }
        let dry_run = input.dry_run.unwrap_or(false);
        let deleted: Vec<String> = profiles
            .iter()
            .map(|profile| profile.name().to_string())
            .collect();
        let mut summary = match (dry_run, deleted.len()) {
            (true, 0) => "nothing would be deleted".to_owned(),
            (true, _) => format!("would delete {}", deleted.join(", ")),
            (false, 0) => "nothing to delete".to_owned(),
            (false, _) => format!("deleted {}", deleted.join(", ")),
        };
        if !dry_run && !deleted.is_empty() {
            self.may_delete(&deleted)?;
        }
        let mut locked = Vec::new();
        for profile in profiles {
            match profile.lock() {
                Ok(lock) => locked.push((profile, lock)),
                Err(LockError::Held { name }) => {
                    return Err(Failure::new(
                        Code::SessionBusy,
                        format!("session `{name}` is open; nothing was deleted"),
                    )
                    .hint(format!(
                        "close it first with `session_close` (`szk close {name}`)"
                    )));
                }
                Err(error) => return Err(failure::lock(&error)),
            }
        }
        if !dry_run {
            // Removing a big profile takes a while; do not block the caller's other work.
            let left = tokio::task::spawn_blocking(move || remove(locked))
                .await
                .map_err(|error| {
                    Failure::internal(format!("deleting failed: {error}")).effect(Done::Unknown)
                })??;
            if left > 0 {
                let folders = if left == 1 { "folder" } else { "folders" };
                summary.push_str(&format!(
                    " ({left} {folders} could not be removed completely; the next deletion tries again)"
                ));
            }
        }
        Response::of::<Delete>(summary, &DeleteOutput { deleted, dry_run })
    }

    pub(crate) fn chosen(&self, text: &str) -> Result<Vec<Profile>, Failure> {
        if text.contains(['*', '?']) {
            return self
                .store()
                .matching(text)
                .map_err(|error| failure::store(&error));
        }
        let name = names::parse(text)?;
        let profile = self.store().profile(&name);
        if profile.exists() {
            Ok(vec![profile])
        } else {
            Err(names::unknown(self.store(), &name))
        }
    }
}

fn remove(locked: Vec<(Profile, szk_store::ProfileLock)>) -> Result<usize, Failure> {
    let mut left = 0;
    for (index, (profile, lock)) in locked.into_iter().enumerate() {
        let trashed = profile.trash(lock).map_err(|error| {
            let effect = if index == 0 { Done::None } else { Done::Done };
            failure::store(&error).effect(effect)
        })?;
        left += trashed.left.len();
    }
    Ok(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_days_than_time_has_are_all_of_them() {
        assert!(days_ago(1) < Timestamp::now());
        assert_eq!(days_ago(u32::MAX), Timestamp::MIN);
    }
}
