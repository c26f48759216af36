//! JSON in the canonical form of RFC 8785 (JSON Canonicalization Scheme), of which anyone can compute the SHA-256: no white space, keys in
//! the order of their UTF-16 code units, and numbers, which are doubles, as ECMAScript writes them.

use serde_json::Value;

/// The canonical form of `value`. Whole numbers beyond 2⁵³ are rounded to doubles.
///
/// ```
/// use stickslip_run::canonical;
/// let value = serde_json::json!({ "b": [1.0, 1e21, 2.5e-7, null], "a": "ü\n" });
/// assert_eq!(canonical(&value), r#"{"a":"ü\n","b":[1,1e+21,2.5e-7,null]}"#);
/// ```
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Number(n) => text.push_str(&number(n.as_f64().unwrap_or_default())),
        Value::Array(parts) => {
            text.push('[');
            for (i, part) in parts.iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                write(part, text);
            }
            text.push(']');
        }
        Value::Object(table) => {
            let mut keys: Vec<&String> = table.keys().collect();
            keys.sort_by(|a, b| a.encode_utf16().cmp(b.encode_utf16()));
            text.push('{');
            for (i, key) in keys.into_iter().enumerate() {
                if i > 0 {
                    text.push(',');
                }
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write(&table[key], text);
            }
            text.push('}');
        }
        // serde_json escapes in texts what RFC 8785 does, and in the same way.
        simple => text.push_str(&simple.to_string()),
    }
}

/// A double as ECMAScript writes it (ECMA-262, Number::toString): the shortest digits that give it back.
fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let written = format!("{:e}", value.abs());
    let (digits, exponent) = written.split_once('e').unwrap_or((&written, "0"));
    let digits = digits.replace('.', "");
    let sign = if value < 0.0 { "-" } else { "" };
    let count = digits.len() as i32;
    // Where the point stands among the digits.
    let point = exponent.parse::<i32>().unwrap_or_default() + 1;
    let zeros = |n: i32| "0".repeat(n.unsigned_abs() as usize);
    if count <= point && point <= 21 {
        return format!("{sign}{digits}{}", zeros(point - count));
    }
    if 0 < point && point <= 21 {
        let (whole, rest) = digits.split_at(point.unsigned_abs() as usize);
        return format!("{sign}{whole}.{rest}");
    }
    if -6 < point && point <= 0 {
        return format!("{sign}0.{}{digits}", zeros(point));
    }
    let (first, rest) = digits.split_at(1);
    let tail = if rest.is_empty() { String::new() } else { format!(".{rest}") };
    format!("{sign}{first}{tail}e{:+}", point - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_those_of_rfc_8785() {
        // Appendix B of the RFC, by their bits.
        for (bits, expected) in [
            (0x0000_0000_0000_0000_u64, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xc340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0x41b3_de43_5555_5554, "333333333.33333325"),
            (0x41b3_de43_5555_5555, "333333333.3333333"),
            (0x41b3_de43_5555_5556, "333333333.3333334"),
            (0x41b3_de43_5555_5557, "333333333.33333343"),
        ] {
            assert_eq!(number(f64::from_bits(bits)), expected, "{bits:x}");
        }
    }

    #[test]
    fn keys_are_sorted_by_utf_16_and_texts_escaped_as_little_as_can_be() {
        // The example of section 3.2.3 of the RFC.
        let value = json!({
            "\u{20ac}": "Euro Sign", "\r": "Carriage Return", "\u{fb33}": "Hebrew Letter Dalet With Dagesh",
            "1": "One", "\u{1f600}": "Emoji: Grinning Face", "\u{80}": "Control", "\u{f6}": "Latin Small Letter O With Diaeresis",
        });
        let written = canonical(&value);
        let order = ["Carriage", "One", "Control", "Latin", "Euro", "Emoji", "Hebrew"];
        let places: Vec<_> = order.iter().map(|word| written.find(word).unwrap()).collect();
        assert!(places.is_sorted(), "{written}");
        assert_eq!(
            canonical(&json!("\u{8}\t\n\u{c}\r\u{1f}\"\\/é")),
            r#""\b\t\n\f\r\u001f\"\\/é""#
        );
    }
}
