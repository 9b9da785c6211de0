//! Lines that differ between two texts.

/// Lines to remove from `old` (`-`) and to add (`+`) to get `new`, without context.
pub(super) fn lines(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    // Length of the longest common subsequence of the remainders, from the end.
    let mut common = vec![vec![0_u32; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i][j] = if old[i] == new[j] {
                common[i + 1][j + 1] + 1
            } else {
                common[i + 1][j].max(common[i][j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let mut text = String::new();
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[i + 1][j] >= common[i][j + 1]) {
            text.push_str(&format!("-{}\n", old[i]));
            i += 1;
        } else {
            text.push_str(&format!("+{}\n", new[j]));
            j += 1;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_and_what_comes() {
        let check = |old: &str, new: &str, expected: &str| assert_eq!(lines(old, new), expected);
        check("a\nb\nc\n", "a\nb\nc\n", "");
        check("a\nb\nc\n", "a\nx\nc\n", "-b\n+x\n");
        check("", "a\n", "+a\n");
        check("a\nb\n", "b\nc\n", "-a\n+c\n");
    }
}
