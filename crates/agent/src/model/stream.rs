//! Server-sent events, as providers stream answers.

/// Takes bytes as they come, and gives the data of whole events.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// The line that has not ended yet.
    line: Vec<u8>,
    /// The data of the event that has not ended yet.
    data: Option<String>,
}

impl Events {
    /// Takes the next bytes; returns the data of each event that ended.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<String> {
        let mut ended = Vec::new();
        for &byte in bytes {
            match byte {
                b'\n' => {
                    let line = std::mem::take(&mut self.line);
                    let line = line.strip_suffix(b"\r").unwrap_or(&line);
                    ended.extend(self.line_ended(&String::from_utf8_lossy(line)));
                }
                byte => self.line.push(byte),
            }
        }
        ended
    }

    fn line_ended(&mut self, line: &str) -> Option<String> {
        if line.is_empty() {
            return self.data.take();
        }
        // Names of events repeat what the data says; comments keep the connection open.
        let data = line.strip_prefix("data:")?;
        let data = data.strip_prefix(' ').unwrap_or(data);
        match &mut self.data {
            Some(before) => {
                before.push('\n');
                before.push_str(data);
            }
            None => self.data = Some(data.to_owned()),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_whole_however_the_bytes_come() {
        let text =
            ": hello\nevent: x\ndata: {\"a\":\r\ndata:1}\r\n\r\nid: 7\n\ndata: é\n\ndata: cut";
        for size in 1..text.len() {
            let mut events = Events::default();
            let found: Vec<String> = text
                .as_bytes()
                .chunks(size)
                .flat_map(|part| events.feed(part))
                .collect();
            assert_eq!(found, ["{\"a\":\n1}", "é"], "{size}");
        }
    }
}
