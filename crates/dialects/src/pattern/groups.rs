//! Groups: what opens and closes one, and what refers to one.

use hookwright_model::{args, term};

use super::width::Width;
use super::{DIALECT, DIALECT_BEHIND, DIALECT_CASE, DIALECT_FLAGS, Group, Last, Step, Stop, Taken, Walk};

impl Walk {
    pub(super) fn open(&mut self) -> Step {
        let inherited = Group {
            look: false,
            looks_behind_at: None,
            number: None,
            width: Width::default(),
            others: None,
            ..self.group()
        };
        if !self.begins("(?") {
            self.open_numbered(inherited, 1);
            self.take(1, Last::Nothing);
            return Ok(());
        }
        if let Some((letters, length)) = self.flags() {
            let known = letters.chars().all(|flag| "imsx".contains(flag));
            return self.differs(if known { &DIALECT_FLAGS } else { &DIALECT }, length);
        }
        if self.begins("(?#") {
            let end = self.signs[self.at..].iter().position(|sign| *sign == ')');
            let Some(end) = end else {
                return Err(Stop::Bad(term!("a comment (?# that is not closed")));
            };
            // Left out, since what is inside means nothing.
            self.at += end + 1;
            return Ok(());
        }
        for (head, behind) in [
            ("(?:", inherited.behind),
            ("(?=", false),
            ("(?!", false),
            ("(?<=", true),
            ("(?<!", true),
        ] {
            if self.begins(head) {
                let look = head != "(?:";
                let looks_behind = look && behind;
                self.groups.push(Group {
                    behind,
                    look,
                    looks_behind_at: looks_behind.then_some(self.at),
                    behind_since: inherited
                        .behind_since
                        .or_else(|| looks_behind.then_some(self.numbers.len())),
                    ..inherited
                });
                self.take(head.len(), Last::Nothing);
                return Ok(());
            }
        }
        self.open_named(inherited)
    }

    /// Opens a group whose head is so long.
    fn open_numbered(&mut self, group: Group, head: usize) {
        self.numbers.push(None);
        self.groups.push(Group {
            number: Some((self.numbers.len(), self.at + head)),
            ..group
        });
    }

    /// A reference to the group of that number.
    pub(super) fn refer(&mut self, number: usize, length: usize) -> Step {
        let Some(group) = number.checked_sub(1).and_then(|index| self.numbers.get(index)) else {
            return Err(Stop::Bad(term!("a reference to a group that does not stand before it")));
        };
        let Some(taken) = *group else {
            return Err(Stop::Bad(term!("a reference to a group that is still open")));
        };
        if self.group().behind_since.is_some_and(|before| number > before) {
            return Err(Stop::Bad(term!("a reference to a group of the same look-behind")));
        }
        if !self.group().loose {
            self.take(length, Last::Item);
        } else if taken.cased {
            // Which letters are one is for the two engines to say, and they say different things.
            return self.differs(&DIALECT_CASE, length);
        } else {
            let same = format!("(?-i:{})", self.written(length));
            self.put(&same, length, Last::Item);
        }
        self.grow(taken.width);
        Ok(())
    }

    /// `(?P<n>`, `(?P=n)` and `(?i-s:`; anything else is not common.
    fn open_named(&mut self, inherited: Group) -> Step {
        let until = |walk: &Self, sign: char| walk.signs[walk.at..].iter().position(|found| *found == sign);
        if self.begins("(?P<") {
            let Some(end) = until(self, '>') else {
                return Err(Stop::Bad(term!("a group name that is not closed")));
            };
            let name: String = self.signs[self.at + 4..self.at + end].iter().collect();
            if self.names.iter().any(|(known, _)| *known == name) {
                return Err(Stop::Bad(term!("two groups of one name")));
            }
            if !name.is_ascii() {
                return self.differs(&DIALECT, end + 1);
            }
            let is_sign = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
            if !name.chars().all(is_sign) || name.starts_with(|sign: char| sign.is_ascii_digit()) || name.is_empty() {
                return Err(Stop::Bad(term!("a group name that is no name")));
            }
            self.open_numbered(inherited, end + 1);
            self.names.push((name, self.numbers.len()));
            self.take(end + 1, Last::Nothing);
            return Ok(());
        }
        if self.begins("(?P=") {
            let Some(end) = until(self, ')') else {
                return Err(Stop::Bad(term!("a group name that is not closed")));
            };
            let name: String = self.signs[self.at + 4..self.at + end].iter().collect();
            let known = self.names.iter().find(|(known, _)| *known == name);
            let Some(number) = known.map(|(_, number)| *number) else {
                return Err(Stop::Bad(term!("a reference to a group that does not stand before it")));
            };
            return self.refer(number, end + 1);
        }
        let letters: String = self.signs[self.at + 2..]
            .iter()
            .take_while(|sign| "imsx-".contains(**sign))
            .collect();
        let length = letters.len() + 3;
        if !letters.is_empty() && self.peek(length - 1) == Some(':') {
            let (on, off) = letters.split_once('-').unwrap_or((letters.as_str(), ""));
            let twice = off.contains(|flag| flag == '-' || on.contains(flag));
            if twice || (off.is_empty() && letters.contains('-')) {
                return Err(Stop::Bad(term!("flags that say nothing, or two things")));
            }
            let holds = |flag: char, before: bool| (before || on.contains(flag)) && !off.contains(flag);
            self.groups.push(Group {
                verbose: holds('x', inherited.verbose),
                loose: holds('i', inherited.loose),
                multiline: holds('m', inherited.multiline),
                ..inherited
            });
            self.take(length, Last::Nothing);
            return Ok(());
        }
        self.differs(&DIALECT, 3)
    }

    pub(super) fn close(&mut self) -> Step {
        if self.groups.len() < 2 {
            return Err(Stop::Bad(term!("a closing bracket without its opening one")));
        }
        let group = self.groups.pop().unwrap_or_default();
        let width = group.others.map_or(group.width, |others| others.or(group.width));
        if let Some(start) = group.looks_behind_at.filter(|_| width.least != width.most) {
            let inside: String = self.signs[start..=self.at].iter().collect();
            return Err(Stop::Dialect(DIALECT_BEHIND.render(args! { "written" => inside })));
        }
        if let Some((number, start)) = group.number {
            let inside = self.signs.get(start..self.at).unwrap_or_default();
            // More than one sign is meant by the dot, a backslash, a range and all that a class leaves out.
            let cased = |sign: &char| !sign.is_ascii() || sign.is_ascii_alphabetic() || ".\\-^".contains(*sign);
            let cased = inside.iter().any(cased);
            self.numbers[number - 1] = Some(Taken { width, cased });
        }
        self.take(1, if group.look { Last::Look } else { Last::Item });
        self.grow(if group.look { Width::default() } else { width });
        Ok(())
    }
}
