//! Fills date and time fields part by part, as one does from the keyboard.

use serde::Deserialize;
use serde_json::json;

use super::ActError;
use super::actor::{Actor, FieldValue};
use super::fill::unsuited;
use super::target::Located;

/// How a field takes its parts.
#[derive(Debug, Deserialize)]
struct Order {
    /// `year`, `month`, `day`, in the order of the browser's language.
    order: Vec<String>,
    /// Names of the months, if the field shows names.
    months: Vec<String>,
    /// Hours run to twelve.
    half: bool,
    /// The field has seconds.
    seconds: bool,
}

/// The most parts that a field has: a day, and a time with milliseconds in half a day.
const MOST_PARTS: usize = 8;

/// One part: what to type, and whether the field then advances on its own.
type Part = (String, bool);

impl Actor<'_> {
    pub(super) async fn date(
        &mut self,
        located: &Located,
        kind: &str,
        text: &str,
    ) -> Result<(), ActError> {
        let order: Order = located.world().ask("date", &[json!(located.id)]).await?;
        // An empty text empties the field.
        let text = text.trim();
        let parts = match text.is_empty() {
            true => Some(Vec::new()),
            false => parts(kind, text, &order),
        };
        let Some(parts) = parts else {
            let name = self.did.target.clone().unwrap_or_default();
            return Err(unsuited(&name, wanted(kind)));
        };
        self.watch(located).await?;
        let look = self.look(located).await?;
        if !look.enabled || !look.editable || !look.visible {
            return Err(ActError::NotReady {
                target: look.name,
                why: "cannot be written into".to_owned(),
            });
        }
        self.begin();
        // With the keyboard, so that the first part has the focus, wherever a click would have put it.
        if look.focused {
            for _ in 0..MOST_PARTS {
                self.strike("ArrowLeft").await?;
            }
        } else {
            self.focus_on(located).await?;
        }
        if text.is_empty() {
            self.empty_parts().await?;
        }
        let count = parts.len();
        for (index, (typed, goes_on)) in parts.into_iter().enumerate() {
            self.type_here(&typed).await?;
            if !goes_on && index + 1 < count {
                self.strike("ArrowRight").await?;
            }
        }
        self.answered().await;
        let held: FieldValue = located
            .world()
            .ask("value", &[json!(located.id), json!(text)])
            .await?;
        if !held.same {
            return self.set(located, text, "its keys gave another value").await;
        }
        self.expected = Some(text.to_owned());
        self.read_back = true;
        Ok(())
    }

    /// Empties the parts of the field in focus, from the first to the last.
    async fn empty_parts(&mut self) -> Result<(), ActError> {
        for _ in 0..MOST_PARTS {
            self.strike("Delete").await?;
            self.strike("ArrowRight").await?;
        }
        Ok(())
    }
}

/// The parts of a value, in the field's order; `None` if it is not such a value.
fn parts(kind: &str, text: &str, order: &Order) -> Option<Vec<Part>> {
    let text = text.trim();
    match kind {
        "date" => day(text, order),
        "month" => {
            let (year, month) = text.split_once('-')?;
            let index = month.parse::<usize>().ok()?.checked_sub(1)?;
            let name = order.months.get(index)?.to_lowercase();
            let all = [("year", digits(year, 4)?), ("month", name)];
            // The field looks a name up while we type, and does not advance on its own.
            let parts = ordered(order, &all).into_iter();
            Some(parts.map(|(typed, _)| (typed, false)).collect())
        }
        "week" => {
            let (year, week) = text.split_once("-W")?;
            Some(vec![(digits(week, 2)?, true), (digits(year, 4)?, false)])
        }
        "time" => clock(text, order),
        _ => {
            let (date, time) = text.split_once(['T', ' '])?;
            let mut parts = day(date, order)?;
            // A year before the last part does not advance on its own.
            parts.extend(clock(time, order)?);
            Some(parts)
        }
    }
}

fn day(text: &str, order: &Order) -> Option<Vec<Part>> {
    let mut fields = text.split('-');
    let year = digits(fields.next()?, 4)?;
    let (month, day) = (digits(fields.next()?, 2)?, digits(fields.next()?, 2)?);
    if fields.next().is_some() {
        return None;
    }
    Some(ordered(
        order,
        &[("year", year), ("month", month), ("day", day)],
    ))
}

fn clock(text: &str, order: &Order) -> Option<Vec<Part>> {
    let mut fields = text.split(':');
    let hour: u32 = digits(fields.next()?, 2)?.parse().ok()?;
    let minute = digits(fields.next()?, 2)?;
    let shown = match (order.half, hour % 12) {
        (false, _) => hour,
        (true, 0) => 12,
        (true, hour) => hour,
    };
    let mut parts = vec![(format!("{shown:02}"), true), (minute, true)];
    if order.seconds {
        let seconds = fields.next().unwrap_or("00");
        parts.push((digits(seconds.split('.').next()?, 2)?, true));
    }
    if order.half {
        parts.push((if hour < 12 { "A" } else { "P" }.to_owned(), false));
    }
    Some(parts)
}

fn ordered(order: &Order, all: &[(&str, String)]) -> Vec<Part> {
    let place = |name: &str| order.order.iter().position(|known| known == name);
    let mut all: Vec<&(&str, String)> = all.iter().collect();
    all.sort_by_key(|(name, _)| place(name));
    // Years may have six digits, so the field waits for more.
    all.into_iter()
        .map(|(name, value)| (value.clone(), *name != "year"))
        .collect()
}

fn digits(text: &str, least: usize) -> Option<String> {
    let good = !text.is_empty() && text.len() <= 6 && text.bytes().all(|b| b.is_ascii_digit());
    good.then(|| format!("{text:0>least$}"))
}

fn wanted(kind: &str) -> &'static str {
    match kind {
        "date" => "takes a date such as 2026-11-21",
        "month" => "takes a month such as 2026-11",
        "week" => "takes a week such as 2026-W47",
        "time" => "takes a time such as 14:05",
        _ => "takes a date and time such as 2026-11-21T14:05",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(half: bool) -> Order {
        let order = ["month", "day", "year"].map(str::to_owned).to_vec();
        Order {
            order,
            months: ["January", "February"].map(str::to_owned).to_vec(),
            half,
            seconds: false,
        }
    }

    #[track_caller]
    fn check(kind: &str, text: &str, half: bool, expected: &str) {
        let told = parts(kind, text, &order(half)).map(|parts| {
            let words: Vec<String> = parts.into_iter().map(|part| part.0).collect();
            words.join(" ")
        });
        assert_eq!(told.unwrap_or_default(), expected, "{kind} {text}");
    }

    #[test]
    fn values_become_parts() {
        check("date", "2026-11-01", true, "11 01 2026");
        check("time", "14:05", true, "02 05 P");
        check("time", "0:30", true, "12 30 A");
        check("time", "14:05", false, "14 05");
        check(
            "datetime-local",
            "2026-01-02T03:04",
            false,
            "01 02 2026 03 04",
        );
        check("month", "2026-02", false, "february 2026");
        check("week", "2026-W07", false, "07 2026");
        check("date", "tomorrow", false, "");
        check("date", "2026-11-01-3", false, "");
    }
}
