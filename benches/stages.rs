//! Measures the stages of a merge separately: splitting, parsing, walk, edit and check. Run it with
//! `cargo bench`.
//!
//! The inputs are a small Deployment and a CRD of one megabyte, each changed on both sides.

use std::fmt::Write as _;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use merge3::merge::{Options, stages};
use merge3::triple::Triple;
use merge3::yaml::Tree;
use merge3::yaml::stream::split;

fn main() {
    divan::main();
}

#[derive(Debug, Clone, Copy)]
enum Input {
    Deployment,
    Crd,
}

const INPUTS: [Input; 2] = [Input::Deployment, Input::Crd];

impl Input {
    fn texts(self) -> Triple<String> {
        let text = match self {
            Self::Deployment => deployment,
            Self::Crd => crd,
        };
        Triple::new(text("1.0", "1"), text("2.0", "1"), text("1.0", "5 # ours"))
    }
}

fn deployment(version: &str, replicas: &str) -> String {
    format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: shop\n  labels:\n    app: shop\n    version: \"{version}\"\n\
         spec:\n  replicas: {replicas}\n  selector:\n    matchLabels:\n      app: shop\n  template:\n    spec:\n      \
         containers:\n      - name: app\n        image: ghcr.io/acme/shop:{version}\n        args: [\"--port=8080\", \
         \"--log-level=info\"]\n        ports:\n        - name: http\n          containerPort: 8080\n        env:\n        \
         - name: CURRENCY\n          value: 'USD'\n"
    )
}

fn crd(version: &str, replicas: &str) -> String {
    let mut text = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  annotations:\n    \
         version: \"{version}\"\n  name: things.example.com\nspec:\n  default: {replicas}\n  properties:\n"
    );
    for number in 0..4_000 {
        let since = if number % 20 == 0 { version } else { "this" };
        let _ = write!(
            text,
            "    field{number}:\n      description: Field {number} states since {since} what the operator makes of this object, see \
             https://example.com/docs\n      type: object\n      properties:\n        name:\n          description: 'Name of \
             the referent: it must exist.'\n          type: string\n"
        );
    }
    text
}

fn trees(texts: &Triple<String>) -> Triple<Tree<'_>> {
    texts.as_ref().map(|text| tree(text))
}

fn tree(text: &str) -> Tree<'_> {
    match Tree::parse(text) {
        Ok(Some(tree)) => tree,
        other => unreachable!("the text of a benchmark is a document: {other:?}"),
    }
}

#[divan::bench(args = INPUTS)]
fn cut(bencher: Bencher<'_, '_>, input: Input) {
    let file = [input.texts().local, input.texts().updated].join("---\n");
    bencher
        .counter(BytesCount::of_str(&file))
        .bench(|| split(black_box(&file)));
}

#[divan::bench(args = INPUTS)]
fn parse(bencher: Bencher<'_, '_>, input: Input) {
    let text = input.texts().local;
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| Tree::parse(black_box(&text)));
}

#[divan::bench(args = INPUTS)]
fn walk(bencher: Bencher<'_, '_>, input: Input) {
    let texts = input.texts();
    let trees = trees(&texts);
    let options = Options::default();
    bencher
        .counter(BytesCount::of_str(&texts.local))
        .bench(|| stages::walk(black_box(trees.as_ref()), &options));
}

#[divan::bench(args = INPUTS)]
fn edit(bencher: Bencher<'_, '_>, input: Input) {
    let texts = input.texts();
    let trees = trees(&texts);
    let decisions = stages::walk(trees.as_ref(), &Options::default());
    bencher
        .counter(BytesCount::of_str(&texts.local))
        .bench(|| stages::edit(black_box(trees.as_ref()), &decisions));
}

#[divan::bench(args = INPUTS)]
fn check(bencher: Bencher<'_, '_>, input: Input) {
    let texts = input.texts();
    let trees = trees(&texts);
    let decisions = stages::walk(trees.as_ref(), &Options::default());
    let text = stages::edit(trees.as_ref(), &decisions);
    let merged = tree(&text);
    bencher
        .counter(BytesCount::of_str(&texts.local))
        .bench(|| stages::check(black_box(&merged), trees.as_ref(), &decisions));
}
