//! The name that was probably meant.

/// The name among these that was probably meant: letter case, dashes and camel case aside, a slip or two away.
#[must_use]
pub fn nearest(name: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let wanted = snake(name);
    let (best, away) = names
        .map(|known| (known, strsim::osa_distance(&wanted, &snake(known))))
        .min_by_key(|(_, away)| *away)?;
    let few = (best.chars().count() / 3).max(1);
    (away <= few).then_some(best)
}

fn snake(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    let mut before_lower = false;
    for sign in name.chars() {
        if sign.is_uppercase() && before_lower {
            out.push('_');
        }
        before_lower = sign.is_lowercase();
        out.extend(if sign == '-' || sign == ' ' { '_' } else { sign }.to_lowercase());
    }
    out
}
