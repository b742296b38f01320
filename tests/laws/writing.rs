//! Checks with another parser that the generators write the values that they were given.

use crate::generate::{self, render::render, style, values};
use crate::value::load;
use proptest::prelude::*;

proptest! {
    #![proptest_config(crate::config(4000))]

    #[test]
    fn a_text_says_its_value(value in values::document(), style in style::style()) {
        let text = render(&value, &style);
        let loaded = load::document(&text);
        prop_assert_eq!(loaded, Ok(Some(value)), "\n{}", text);
    }

    #[test]
    fn the_texts_of_a_case_say_its_values(case in generate::case()) {
        for (text, value) in case.texts.zip(case.values).into_array() {
            let loaded = load::document(&text);
            prop_assert_eq!(loaded, Ok(Some(value)), "\n{}", text);
        }
    }
}
