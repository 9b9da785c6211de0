//! Pages that are hard to work with, and bugs that other programs had.
//!
//! Each bug, and the test that would find it here. First those of an earlier program that drove
//! Chromium over CDP:
//!
//! | defect | test |
//! |---|---|
//! | a fill that changed nothing and said it had; a text that was always empty | `act::fields::text_is_filled_typed_and_read_back` |
//! | evaluation, navigation, clicks and keys went to the first tab, whichever was chosen | `others::everything_follows_the_tab` |
//! | the place of a click was read before scrolling, pushed into the viewport, and not looked at again | `act::clicks::what_can_be_clicked_is`, `what_cannot_be_clicked_is_named` |
//! | a page that did not load was a success, and nothing was waited for | `navigate::what_does_not_load_is_an_error` |
//! | scripts were held back by a list of words that could not fit | `others::code_is_not_judged_by_its_words` |
//! | a list that was not found was replaced by the first one there was | `others::no_other_control_is_taken_instead` |
//! | one call kept all others waiting | `others::a_call_that_waits_holds_up_no_other` |
//! | commands without an end; calls left over when the browser died | `navigate::what_loads_for_ever_ends_with_its_budget`, `others::calls_end_with_their_browser` |
//! | limits on origins and downloads that were read and not kept | `policy::no_request_reaches_an_origin_that_is_not_allowed`, `policy::files_code_and_cookies` |
//! | text was cut inside a character | `others::text_is_cut_between_characters` |
//! | files were written anywhere | `policy::files_code_and_cookies` |
//! | the tests tried copies of what was shipped | all of these run the program |
//!
//! Unread output and guessed ports belong to the process tests: `cdp` and `stealth::ports`.
//!
//! And the page-related bugs of szk's predecessor:
//!
//! | defect | test |
//! |---|---|
//! | closing the first tab lost the session | `tabs::the_last_tab_is_followed_by_a_blank_one` |
//! | a frame's navigation ended what ran in the page and the handles on it | `others::a_frame_that_goes_elsewhere_ends_nothing` |
//! | looking at elements left names in the page | `stealth::traces`, `snapshot_unseen` |
//! | no limits on addresses, code without a switch | `policy` |
//! | extraction deleted parts of the live page | `snapshot_unseen` |
//! | one page a session; tabs that pages open could not be reached | `act::outcomes::navigations_tabs_and_downloads` |
//! | operations without a time limit, not one after the other and not to be cancelled | `others::a_call_that_waits_holds_up_no_other`, `mcp::ending` |
//! | failures without their text and without a hint | `act::refs`, `navigate::what_does_not_load_is_an_error` |
//! | a second server was needed for clicks and snapshots | `act::refs::every_node_of_a_snapshot_can_be_worked` |

mod others;
mod pages;
mod size;
