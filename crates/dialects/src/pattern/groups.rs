//! Translates groups and references to groups.

use hookwright_model::{render, term};

use super::width::Width;
use super::{
    DIALECT, DIALECT_BEHIND, DIALECT_CASE, DIALECT_FLAGS, Group, GroupInfo, LastItem, TranslateError, TranslateResult,
    Translator,
};

impl Translator {
    pub(super) fn open(&mut self) -> TranslateResult {
        let inherited = Group {
            is_look_around: false,
            look_behind_start: None,
            number: None,
            width: Width::default(),
            other_widths: None,
            ..self.group()
        };
        if !self.starts_with("(?") {
            self.open_numbered(inherited, 1);
            self.copy_chars(1, LastItem::Nothing);
            return Ok(());
        }
        if let Some((letters, length)) = self.flags() {
            let known = letters.chars().all(|flag| "imsx".contains(flag));
            return self.reject(if known { &DIALECT_FLAGS } else { &DIALECT }, length);
        }
        if self.starts_with("(?#") {
            let end = self.chars[self.at..].iter().position(|character| *character == ')');
            let Some(end) = end else {
                return Err(TranslateError::Bad(term!("a comment `(?#` that is not closed")));
            };
            // The comment is not written, since it has no effect on the match.
            self.at += end + 1;
            return Ok(());
        }
        for (head, in_look_behind) in [
            ("(?:", inherited.in_look_behind),
            ("(?=", false),
            ("(?!", false),
            ("(?<=", true),
            ("(?<!", true),
        ] {
            if self.starts_with(head) {
                let is_look_around = head != "(?:";
                let looks_behind = is_look_around && in_look_behind;
                self.groups.push(Group {
                    in_look_behind,
                    is_look_around,
                    look_behind_start: looks_behind.then_some(self.at),
                    groups_before_look_behind: inherited
                        .groups_before_look_behind
                        .or_else(|| looks_behind.then_some(self.numbers.len())),
                    ..inherited
                });
                self.copy_chars(head.len(), LastItem::Nothing);
                return Ok(());
            }
        }
        self.open_named(inherited)
    }

    /// Opens a numbered group. `head` is the length of its opening syntax in characters.
    fn open_numbered(&mut self, group: Group, head: usize) {
        self.numbers.push(None);
        self.groups.push(Group {
            number: Some((self.numbers.len(), self.at + head)),
            ..group
        });
    }

    /// Writes a reference of `length` characters to the group of this number.
    pub(super) fn copy_reference(&mut self, number: usize, length: usize) -> TranslateResult {
        let Some(group) = number.checked_sub(1).and_then(|index| self.numbers.get(index)) else {
            return Err(TranslateError::Bad(term!(
                "a reference to a group that is not defined before it"
            )));
        };
        let Some(info) = *group else {
            return Err(TranslateError::Bad(term!("a reference to a group that is still open")));
        };
        if self
            .group()
            .groups_before_look_behind
            .is_some_and(|before| number > before)
        {
            return Err(TranslateError::Bad(term!(
                "a reference to a group of the same look-behind"
            )));
        }
        if !self.group().ignores_case {
            self.copy_chars(length, LastItem::Item);
        } else if info.has_letters {
            // The two engines differ in which letters are equal when letter case is ignored.
            return self.reject(&DIALECT_CASE, length);
        } else {
            let same = format!("(?-i:{})", self.source_text(length));
            self.write(&same, length, LastItem::Item);
        }
        self.add_width(info.width);
        Ok(())
    }

    /// Reads `(?P<n>`, `(?P=n)` and `(?i-s:`. Engines differ in everything else that begins with `(?`, so it is
    /// rejected.
    fn open_named(&mut self, inherited: Group) -> TranslateResult {
        let until = |walk: &Self, character: char| walk.chars[walk.at..].iter().position(|found| *found == character);
        if self.starts_with("(?P<") {
            let Some(end) = until(self, '>') else {
                return Err(TranslateError::Bad(term!("a group name that is not closed")));
            };
            let name: String = self.chars[self.at + 4..self.at + end].iter().collect();
            if self.names.iter().any(|(known, _)| *known == name) {
                return Err(TranslateError::Bad(term!("two groups with the same name")));
            }
            if !name.is_ascii() {
                return self.reject(&DIALECT, end + 1);
            }
            let is_sign = |character: char| character.is_ascii_alphanumeric() || character == '_';
            if !name.chars().all(is_sign)
                || name.starts_with(|character: char| character.is_ascii_digit())
                || name.is_empty()
            {
                return Err(TranslateError::Bad(term!("an invalid group name")));
            }
            self.open_numbered(inherited, end + 1);
            self.names.push((name, self.numbers.len()));
            self.copy_chars(end + 1, LastItem::Nothing);
            return Ok(());
        }
        if self.starts_with("(?P=") {
            let Some(end) = until(self, ')') else {
                return Err(TranslateError::Bad(term!("a group name that is not closed")));
            };
            let name: String = self.chars[self.at + 4..self.at + end].iter().collect();
            let known = self.names.iter().find(|(known, _)| *known == name);
            let Some(number) = known.map(|(_, number)| *number) else {
                return Err(TranslateError::Bad(term!(
                    "a reference to a group that is not defined before it"
                )));
            };
            return self.copy_reference(number, end + 1);
        }
        let letters: String = self.chars[self.at + 2..]
            .iter()
            .take_while(|character| "imsx-".contains(**character))
            .collect();
        let length = letters.len() + 3;
        if !letters.is_empty() && self.peek(length - 1) == Some(':') {
            let (on, off) = letters.split_once('-').unwrap_or((letters.as_str(), ""));
            let twice = off.contains(|flag| flag == '-' || on.contains(flag));
            if twice || (off.is_empty() && letters.contains('-')) {
                return Err(TranslateError::Bad(term!("flags that are empty or contradictory")));
            }
            let is_on = |flag: char, before: bool| (before || on.contains(flag)) && !off.contains(flag);
            self.groups.push(Group {
                verbose: is_on('x', inherited.verbose),
                ignores_case: is_on('i', inherited.ignores_case),
                multiline: is_on('m', inherited.multiline),
                ..inherited
            });
            self.copy_chars(length, LastItem::Nothing);
            return Ok(());
        }
        self.reject(&DIALECT, 3)
    }

    pub(super) fn close(&mut self) -> TranslateResult {
        if self.groups.len() < 2 {
            return Err(TranslateError::Bad(term!(
                "a closing bracket without an opening bracket"
            )));
        }
        let group = self.groups.pop().unwrap_or_default();
        let width = group
            .other_widths
            .map_or(group.width, |others| others.either(group.width));
        if let Some(start) = group.look_behind_start.filter(|_| width.min_chars != width.max_chars) {
            let inside: String = self.chars[start..=self.at].iter().collect();
            return Err(TranslateError::Dialect(render!(DIALECT_BEHIND, "written" => inside)));
        }
        if let Some((number, start)) = group.number {
            let inside = self.chars.get(start..self.at).unwrap_or_default();
            // A dot, an escape, a range and a negated class can match letters without containing one.
            let can_be_letter = |character: &char| {
                !character.is_ascii() || character.is_ascii_alphabetic() || ".\\-^".contains(*character)
            };
            let has_letters = inside.iter().any(can_be_letter);
            self.numbers[number - 1] = Some(GroupInfo { width, has_letters });
        }
        self.copy_chars(
            1,
            if group.is_look_around {
                LastItem::LookAround
            } else {
                LastItem::Item
            },
        );
        self.add_width(if group.is_look_around { Width::default() } else { width });
        Ok(())
    }
}
