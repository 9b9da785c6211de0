//! Detectors: pages that look at the browser they are in, and the comparison of what they see with the
//! same browser started by hand.
