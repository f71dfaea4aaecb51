//! How numbers in digits are spoken: in full for English, as a number of syllables for other languages.

const SMALL: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
const TENS: [&str; 10] = [
    "", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];

/// Spells a number in English words. Years are spoken in hundreds, long rows of digits one by one, decimals after `point`.
pub(super) fn english(written: &str) -> String {
    let plain: String = written.chars().filter(|c| *c != ',').collect();
    let (whole, decimals) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut words = match whole.parse::<u64>() {
        Ok(n) if whole.len() <= 12 => match n {
            1100..=1999 | 2010..=2099 if !written.contains(',') && decimals.is_empty() => year(n),
            _ => cardinal(n),
        },
        _ => digits(whole),
    };
    if !decimals.is_empty() {
        words = format!("{words} point {}", digits(decimals));
    }
    words
}

/// Returns the number of syllables of a number in most languages: one for each zero, two for each other digit, more for thousands.
pub(super) fn n_syllables(written: &str) -> usize {
    let figures = written.chars().filter(char::is_ascii_digit);
    let n: usize = figures.map(|c| if c == '0' { 1 } else { 2 }).sum();
    n.max(1)
}

fn digits(row: &str) -> String {
    let names: Vec<&str> = row
        .bytes()
        .filter(u8::is_ascii_digit)
        .map(|c| SMALL[usize::from(c - b'0')])
        .collect();
    names.join(" ")
}

fn year(n: u64) -> String {
    let (century, rest) = (below_hundred(n / 100), n % 100);
    match rest {
        0 => format!("{century} hundred"),
        1..=9 => format!("{century} o {}", below_hundred(rest)),
        _ => format!("{century} {}", below_hundred(rest)),
    }
}

fn cardinal(n: u64) -> String {
    let scales = [
        (1_000_000_000, "billion"),
        (1_000_000, "million"),
        (1000, "thousand"),
        (100, "hundred"),
    ];
    for (size, name) in scales {
        if n >= size {
            let (many, rest) = (cardinal(n / size), n % size);
            return match rest {
                0 => format!("{many} {name}"),
                1..100 if size == 100 => format!("{many} {name} and {}", cardinal(rest)),
                _ => format!("{many} {name} {}", cardinal(rest)),
            };
        }
    }
    below_hundred(n)
}

/// Spells `n`, which must be below 100.
fn below_hundred(n: u64) -> String {
    let n = n as usize % 100;
    match (n / 10, n % 10) {
        (0 | 1, _) => SMALL[n].to_owned(),
        (tens, 0) => TENS[tens].to_owned(),
        (tens, ones) => format!("{} {}", TENS[tens], SMALL[ones]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_spoken() {
        for (written, spoken) in [
            ("0", "zero"),
            ("42", "forty two"),
            ("142", "one hundred and forty two"),
            ("1916", "nineteen sixteen"),
            ("1905", "nineteen o five"),
            ("2019", "twenty nineteen"),
            ("1,916", "one thousand nine hundred and sixteen"),
            ("3.14", "three point one four"),
            ("7000000", "seven million"),
        ] {
            assert_eq!(english(written), spoken);
        }
        assert_eq!(english("99999999999999999999").split(' ').count(), 20);
        assert_eq!(
            (n_syllables("42"), n_syllables("2000"), n_syllables(".")),
            (4, 5, 1)
        );
    }
}
