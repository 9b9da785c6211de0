//! Downloads.

use szk_cdp::Event;
use szk_cdp::own::EventPageDownloadWillBegin;
use szk_cdp::protocol::browser::{EventDownloadProgress, EventDownloadWillBegin};

use super::collect::Collector;
use super::entry::{Download, Kind, What};
use super::events::{DownloadBegins, DownloadGoesOn};
use super::prompt::Prompted;
use super::redact;

impl Collector {
    /// Reported twice: by the page, which knows the tab, and by the browser, which knows the file.
    pub(super) fn download(&mut self, event: &Event) {
        match event.method.as_str() {
            EventPageDownloadWillBegin::IDENTIFIER | EventDownloadWillBegin::IDENTIFIER => {
                if let Ok(begins) = event.read() {
                    self.begins(event, begins);
                }
            }
            EventDownloadProgress::IDENTIFIER => {
                if let Ok(goes_on) = event.read() {
                    self.goes_on(goes_on);
                }
            }
            _ => {}
        }
    }

    fn begins(&mut self, event: &Event, begins: DownloadBegins) {
        if self.downloads.contains_key(&begins.guid) {
            return;
        }
        let place = match &event.session {
            Some(session) => self.place(Some(session)),
            None => self.place_of_frame(&begins.frame_id),
        };
        let id = self.add(
            &place,
            What::Download(Download {
                guid: begins.guid.clone(),
                url: redact::url(&begins.url),
                name: begins.suggested_filename.clone(),
                state: "in_progress".into(),
                bytes: 0,
                path: None,
            }),
        );
        let named = (id, begins.suggested_filename.clone());
        self.downloads.insert(begins.guid.clone(), named);
        let prompt = Prompted::Download {
            guid: begins.guid,
            name: begins.suggested_filename,
        };
        self.prompt(id, place, prompt, false);
    }

    fn goes_on(&mut self, goes_on: DownloadGoesOn) {
        let over = goes_on.state != "inProgress";
        let Some((id, name)) = self.downloads.get(&goes_on.guid).cloned() else {
            return;
        };
        let mut path = goes_on.file_path;
        if over {
            self.downloads.remove(&goes_on.guid);
            if goes_on.state == "completed" {
                // Before anyone hears that it is complete.
                path = path.map(|file| (self.placing)(&goes_on.guid, &name, &file));
            }
        }
        self.change(Kind::Downloads, id, over, |entry| {
            if let What::Download(download) = &mut entry.what {
                download.bytes = goes_on.received_bytes.max(0.0) as u64;
                if over {
                    download.state = goes_on.state;
                    download.path = path;
                }
            }
        });
    }
}
