//! Times and counts are checked where a request is read: every numeric parameter of every command (`CONTRACTS.md` §2.5).

use std::collections::HashMap;
use std::sync::Arc;

use hookwright_app::App;
use hookwright_app::commands::{self, LIST, TypeVisitor};
use hookwright_workspace::ProcessRole;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;

use crate::common::TestHome;

/// The schemas of all requests, by the name of their type.
#[derive(Default)]
struct Schemas(HashMap<&'static str, Value>);

impl TypeVisitor for Schemas {
    fn visit<T: ts_rs::TS + schemars::JsonSchema + 'static>(&mut self, name: &'static str) {
        self.0.insert(name, json!(schemars::schema_for!(T)));
    }
}

/// Where a number is in the parameters of a command.
#[derive(Debug, Clone)]
struct NumberPlace {
    method: &'static str,
    /// The parameters around the number, from the outside, each with the fields that say which form it has.
    path: Vec<PathStep>,
}

#[derive(Debug, Clone)]
enum PathStep {
    Field(String, Map<String, Value>),
    Item,
}

impl NumberPlace {
    /// The parameters with this value, and nothing else that can be left out.
    fn with(&self, value: &Value) -> Value {
        let mut value = value.clone();
        for step in self.path.iter().rev() {
            value = match step {
                PathStep::Item => json!([value]),
                PathStep::Field(name, others) => {
                    let mut object = others.clone();
                    object.insert(name.clone(), value);
                    Value::Object(object)
                }
            };
        }
        value
    }

    /// The parameter that contains the number.
    fn field(&self) -> &str {
        match self.path.first() {
            Some(PathStep::Field(name, _)) => name,
            Some(PathStep::Item) | None => panic!("parameters are an object"),
        }
    }
}

/// Follows a schema to all its numbers.
fn find_numbers(schema: &Value, root: &Value, path: &mut Vec<PathStep>, found: &mut Vec<Vec<PathStep>>) {
    const DEEPEST: usize = 6;
    if path.len() > DEEPEST {
        return;
    }
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.trim_start_matches('#');
        let target = root.pointer(pointer).expect("the schema has what it refers to");
        return find_numbers(target, root, path, found);
    }
    let types = match &schema["type"] {
        Value::Array(types) => types.clone(),
        one => vec![one.clone()],
    };
    if types.contains(&json!("number")) || types.contains(&json!("integer")) {
        found.push(path.clone());
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        for part in schema[choice].as_array().into_iter().flatten() {
            find_numbers(part, root, path, found);
        }
    }
    if let Some(properties) = schema["properties"].as_object() {
        let fixed = properties
            .iter()
            .filter_map(|(name, property)| Some((name, property.get("const")?)));
        let fixed: Map<String, Value> = fixed.map(|(name, value)| (name.clone(), value.clone())).collect();
        for (name, property) in properties {
            path.push(PathStep::Field(name.clone(), fixed.clone()));
            find_numbers(property, root, path, found);
            path.pop();
        }
    }
    if schema["items"].is_object() {
        path.push(PathStep::Item);
        find_numbers(&schema["items"], root, path, found);
        path.pop();
    }
}

fn number_places() -> Vec<NumberPlace> {
    let mut schemas = Schemas::default();
    commands::visit_types(&mut schemas);
    let mut places = Vec::new();
    for command in LIST {
        let schema = &schemas.0[command.request];
        let mut found = Vec::new();
        find_numbers(schema, schema, &mut Vec::new(), &mut found);
        places.extend(found.into_iter().map(|path| NumberPlace {
            method: command.method,
            path,
        }));
    }
    places
}

/// An app, and the runtime that its commands need.
struct Door {
    app: Arc<App>,
    runtime: Runtime,
    _home: TestHome,
}

impl Door {
    fn open() -> Self {
        let home = TestHome::new();
        let runtime = Runtime::new().expect("a runtime starts");
        let app = runtime.block_on(async { home.app(ProcessRole::OneShot) });
        Self {
            app,
            runtime,
            _home: home,
        }
    }

    fn check_refused(&self, place: &NumberPlace, value: &Value) {
        let params = place.with(value);
        let called = commands::call(&self.app, place.method, params.clone());
        let refused = self.runtime.block_on(called).err();
        let fault = refused.unwrap_or_else(|| panic!("{} takes {params}", place.method));
        let code = (fault.code.as_str(), fault.rpc_code());
        assert_eq!(code, ("bad_params", -32602), "{} {params}: {fault}", place.method);
        assert!(
            fault.message.contains(place.field()),
            "{} {params}: {fault}",
            place.method
        );
    }
}

#[test]
fn the_durations_of_requests_are_among_the_numbers() {
    let places = number_places();
    for (method, field) in [
        ("stats", "since_ms"),
        ("stats", "until_ms"),
        ("history.bars", "since_ms"),
        ("history.bars", "buckets"),
        ("history.page", "limit"),
        ("mute", "for_ms"),
    ] {
        let is_it = |place: &&NumberPlace| place.method == method && place.field() == field;
        assert!(places.iter().any(|place| is_it(&place)), "{method} {field}");
    }
}

#[test]
fn a_number_that_is_negative_too_large_or_none_is_refused_with_its_field() {
    let door = Door::open();
    for place in number_places() {
        let mut values = vec![json!(-1), json!(-0.5), json!(-5000), json!(1e300)];
        if place.path.len() == 1 {
            // Deeper inside, a text can be another form of the same value.
            values.extend([json!("NaN"), json!(true), json!([])]);
        }
        for value in values {
            door.check_refused(&place, &value);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_number_panics_and_none_outside_its_range_is_taken(number in prop_oneof![
        -1e18..-1.0e-3_f64,
        2.6e14..1e308_f64,
    ], index: prop::sample::Index) {
        thread_local!(static DOOR: Door = Door::open());
        let places = number_places();
        let place = &places[index.index(places.len())];
        DOOR.with(|door| door.check_refused(place, &json!(number)));
    }
}
