//! Which events of the dialects are equivalent, and which tools. The documents of the hook systems decide this.

use super::form::{ConvertForm, Moment};

/// How well an event fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventFit {
    /// The same point of the agent's work.
    Same,
    /// The nearest point. The loss report names the difference.
    Nearest,
}

/// The moment of an event.
pub fn moment_of(form: &ConvertForm, event: &str) -> Option<Moment> {
    let moments = form.moments.iter();
    moments
        .clone()
        .find(|(_, name)| *name == event)
        .map(|(moment, _)| *moment)
}

/// The event of another dialect for this event; `None` if it has no equivalent.
pub fn equivalent_event(from: &ConvertForm, event: &str, to: &ConvertForm) -> Option<(&'static str, EventFit)> {
    let moment = moment_of(from, event)?;
    let (_, name) = to.moments.iter().find(|(known, _)| *known == moment)?;
    Some(match name.strip_prefix('~') {
        Some(nearest) => (nearest, EventFit::Nearest),
        None => (name, EventFit::Same),
    })
}

/// The names that another agent uses for a tool. An unknown name stays as it is.
pub fn equivalent_tools(from: &ConvertForm, name: &str, to: &ConvertForm) -> Vec<String> {
    if from.patch_tool == Some(name) && to.patch_tool.is_none() {
        let [_, write, edit, _] = to.tool_names;
        return vec![write.to_owned(), edit.to_owned()];
    }
    let mut tools = from.tool_names.iter().zip(to.tool_names);
    let found = tools.find(|(known, _)| **known == name);
    vec![found.map_or(name, |(_, other)| other).to_owned()]
}

/// The tools that have another name in another dialect, with both names.
pub fn renamed_tools(from: &ConvertForm, to: &ConvertForm) -> impl Iterator<Item = (&'static str, &'static str)> {
    let tools = from.tool_names.into_iter().zip(to.tool_names);
    tools.filter(|(ours, theirs)| ours != theirs)
}

/// The tools that a script finds under another name in another dialect, or not at all.
pub fn differing_tools(from: &ConvertForm, to: &ConvertForm) -> impl Iterator<Item = &'static str> {
    let [_, write, edit, _] = from.tool_names;
    let patched = to.patch_tool.filter(|_| from.patch_tool.is_none());
    let own_patch = from.patch_tool.filter(|_| to.patch_tool.is_none());
    let renamed = renamed_tools(from, to).map(|(ours, _)| ours);
    renamed
        .chain(patched.into_iter().flat_map(move |_| [write, edit]))
        .chain(own_patch)
}

/// The tools that get the path of a file, in a dialect.
pub fn file_tools(form: &ConvertForm) -> &[&'static str] {
    &form.tool_names[1..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_event_is_at_one_moment_and_each_moment_has_one_event() {
        for form in crate::convert_forms() {
            let mut seen = BTreeSet::new();
            for (index, (moment, cell)) in form.moments.iter().enumerate() {
                let name = cell.trim_start_matches('~');
                assert!(form.card.event(name).is_some(), "{} has no {name}", form.card.id);
                assert!(cell.starts_with('~') || seen.insert(name), "{name} has two moments");
                assert!(
                    form.moments[..index].iter().all(|(other, _)| other != moment),
                    "{moment:?}"
                );
            }
        }
    }

    #[test]
    fn a_same_event_leads_back() {
        for from in crate::convert_forms() {
            for to in crate::convert_forms() {
                for event in from.card.events {
                    if let Some((there, EventFit::Same)) = equivalent_event(from, event.name, to) {
                        let back = equivalent_event(to, there, from).map(|(back, _)| back);
                        assert_eq!(back, Some(event.name), "{there}");
                    }
                }
            }
        }
    }

    #[test]
    fn tools_have_the_name_of_each_agent() {
        let form = |id: &str| crate::convert_forms().find(|form| form.card.id == id).unwrap();
        let equivalent = |from: &str, name: &str, to: &str| equivalent_tools(form(from), name, form(to));
        assert_eq!(equivalent("qoder", "Bash", "agent-hooks"), ["Shell"]);
        assert_eq!(equivalent("agent-hooks", "Shell", "jcli"), ["Bash"]);
        assert_eq!(equivalent("jcli", "Grep", "picoclaw"), ["Grep"]);
        assert_eq!(equivalent("codex", "apply_patch", "qoder"), ["Write", "Edit"]);
    }
}
