//! Values that are replaced together: the text is the same as if they were replaced one after the other.

use hookwright_dialects::splice::{Format, Op, PathStep, apply, key};

fn set(index: usize, value: &str) -> Op {
    Op::Set {
        at: vec![key("stop"), PathStep::Item(index), key("command")],
        value: value.into(),
    }
}

#[track_caller]
fn assert_same_as_one_after_the_other(format: Format, text: &str, ops: &[Op]) {
    let mut expected = text.to_owned();
    for op in ops {
        expected = apply(format, &expected, std::slice::from_ref(op)).unwrap();
    }
    assert_eq!(apply(format, text, ops).unwrap(), expected);
}

#[test]
fn several_values_of_a_yaml_text_are_replaced_in_their_places() {
    let text = "stop:\n  - command: 'a' # first\n    timeout: 1\n  - command: b\n  - {command: \"c\"}\n";
    let ops = [set(0, "it's x"), set(1, "y: z"), set(2, "w")];
    assert_same_as_one_after_the_other(Format::Yaml, text, &ops);
}

#[test]
fn several_values_of_a_json_text_are_replaced_in_their_places() {
    let text = "{\"stop\": [\n  {\"command\": \"a\"}, // first\n  {\"command\": \"b\"}\n]}";
    assert_same_as_one_after_the_other(Format::Json, text, &[set(0, "x \"y\""), set(1, "z")]);
}

#[test]
fn values_that_need_another_form_are_replaced_one_after_the_other() {
    for text in [
        // The first command is written again by an alias.
        "stop:\n  - command: a\n  - &same {command: b}\n  - *same\n",
        // The second command is new.
        "stop:\n  - command: a\n  - timeout: 1\n  - command: |\n      c",
    ] {
        let ops = [set(0, "x"), set(2, "z")];
        assert_same_as_one_after_the_other(Format::Yaml, text, &ops);
    }
    let text = "stop:\n  - command: a\n  - timeout: 1\n";
    assert_same_as_one_after_the_other(Format::Yaml, text, &[set(0, "x"), set(1, "y")]);
}
