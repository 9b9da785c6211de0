//! The first and the last event of a run, without those between them.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use szk_files::Links;

use super::{Event, LONGEST};

/// How much is read at once when looking for the last line.
const BLOCK: u64 = 64 << 10;

/// Both; one if there is only one, and none if the first was never written whole.
pub(super) fn of(path: &Path) -> io::Result<Vec<Event>> {
    let mut file = szk_files::open(path, Links::Followed)?;
    let first = first(&file)?;
    let Some(event) = event(&first) else {
        return Ok(Vec::new());
    };
    let mut events = vec![event];
    events.extend(last(&mut file, first.len() as u64)?);
    Ok(events)
}

fn event(line: &[u8]) -> Option<Event> {
    serde_json::from_slice(line.strip_suffix(b"\n")?).ok()
}

fn first(file: &File) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    BufReader::new(file)
        .take(LONGEST)
        .read_until(b'\n', &mut line)?;
    Ok(line)
}

/// The last line that is whole, if it is not before `from`. What follows it was cut off.
fn last(file: &mut File, from: u64) -> io::Result<Option<Event>> {
    let mut at = file.metadata()?.len();
    // From `at` to the end of that line.
    let mut line: Vec<u8> = Vec::new();
    let mut ended = false;
    while at > from && line.len() as u64 <= LONGEST {
        let size = BLOCK.min(at - from);
        at -= size;
        file.seek(SeekFrom::Start(at))?;
        let mut block = Vec::new();
        Read::by_ref(file).take(size).read_to_end(&mut block)?;
        if !ended {
            let Some(end) = block.iter().rposition(|byte| *byte == b'\n') else {
                continue;
            };
            block.truncate(end + 1);
            ended = true;
        }
        // Its own end is no beginning of it.
        let within = block.len() - usize::from(line.is_empty());
        if let Some(before) = block[..within].iter().rposition(|byte| *byte == b'\n') {
            block.drain(..=before);
            at = from;
        }
        block.append(&mut line);
        line = block;
    }
    Ok(event(&line))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn resumed(model: &str) -> Event {
        Event::Resumed {
            model: model.to_owned(),
        }
    }

    fn line(model: &str) -> Vec<u8> {
        let mut line = serde_json::to_vec(&resumed(model)).unwrap();
        line.push(b'\n');
        line
    }

    #[track_caller]
    fn check(content: &[u8], expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        std::fs::write(&path, content).unwrap();
        let expected: Vec<Event> = expected.iter().map(|model| resumed(model)).collect();
        assert_eq!(of(&path).unwrap(), expected);
    }

    #[test]
    fn the_first_and_the_last_line_that_are_whole() {
        check(b"", &[]);
        check(b"{\"event\"", &[]);
        check(&line("a"), &["a"]);
        check(&[line("a"), line("b")].concat(), &["a", "b"]);
        check(&[line("a"), line("b"), line("c")].concat(), &["a", "c"]);
        let cut = [line("a"), line("b"), b"{\"event\":\"resu".to_vec()].concat();
        check(&cut, &["a", "b"]);
        check(&[line("a"), b"{\"eve".to_vec()].concat(), &["a"]);
        check(&[line("a"), b"nonsense\n".to_vec()].concat(), &["a"]);
    }

    #[test]
    fn lines_may_be_longer_than_what_is_read_at_once() {
        let size = usize::try_from(BLOCK).unwrap();
        for length in [size - 40, size - 31, size - 30, size, 3 * size + 7] {
            let long = "x".repeat(length);
            check(&[line("a"), line("b"), line(&long)].concat(), &["a", &long]);
            let cut = [line("a"), line("b"), long.clone().into_bytes()].concat();
            check(&cut, &["a", "b"]);
            check(&[line(&long), line("b")].concat(), &[&long, "b"]);
        }
    }

    /// More than is ever read of a whole record.
    #[test]
    fn what_is_between_them_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        std::fs::write(&path, line("a")).unwrap();
        let mut file = File::options().append(true).open(&path).unwrap();
        file.set_len(LONGEST + (1 << 30)).unwrap();
        file.write_all(&[b"\n".to_vec(), line("z")].concat())
            .unwrap();
        assert_eq!(of(&path).unwrap(), [resumed("a"), resumed("z")]);
    }
}
