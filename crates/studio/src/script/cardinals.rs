//! Numbers below a thousand in the words of six languages.

fn word(list: &str, index: usize) -> &str {
    list.split(' ').nth(index).unwrap_or_default()
}

pub(in crate::script) fn english(n: usize) -> String {
    const SMALL: &str = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen";
    const TENS: &str = "zero ten twenty thirty forty fifty sixty seventy eighty ninety";
    match (n / 100, n % 100) {
        (0, rest @ 0..20) => word(SMALL, rest).to_string(),
        (0, rest) if rest % 10 == 0 => word(TENS, rest / 10).to_string(),
        (0, rest) => format!("{}-{}", word(TENS, rest / 10), word(SMALL, rest % 10)),
        (hundreds, 0) => format!("{} hundred", word(SMALL, hundreds)),
        (hundreds, rest) => format!("{} hundred {}", word(SMALL, hundreds), english(rest)),
    }
}

pub(in crate::script) fn spanish(n: usize) -> String {
    const SMALL: &str = "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve";
    const TENS: &str =
        "cero diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa";
    const HUNDREDS: &str = "cero ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos";
    match (n / 100, n % 100) {
        (0, rest @ 0..30) => word(SMALL, rest).to_string(),
        (0, rest) if rest % 10 == 0 => word(TENS, rest / 10).to_string(),
        (0, rest) => format!("{} y {}", word(TENS, rest / 10), word(SMALL, rest % 10)),
        (1, 0) => "cien".to_string(),
        (hundreds, 0) => word(HUNDREDS, hundreds).to_string(),
        (hundreds, rest) => format!("{} {}", word(HUNDREDS, hundreds), spanish(rest)),
    }
}

pub(in crate::script) fn german(n: usize) -> String {
    const SMALL: &str = "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn";
    const TENS: &str = "null zehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig";
    match (n / 100, n % 100) {
        (0, rest @ 0..20) => word(SMALL, rest).to_string(),
        (0, rest) if rest % 10 == 0 => word(TENS, rest / 10).to_string(),
        (0, rest) => {
            let unit = if rest % 10 == 1 {
                "ein"
            } else {
                word(SMALL, rest % 10)
            };
            format!("{unit}und{}", word(TENS, rest / 10))
        }
        (hundreds, rest) => {
            let count = if hundreds == 1 {
                ""
            } else {
                word(SMALL, hundreds)
            };
            let tail = if rest == 0 {
                String::new()
            } else {
                german(rest)
            };
            format!("{count}hundert{tail}")
        }
    }
}

pub(in crate::script) fn french(n: usize) -> String {
    const SMALL: &str = "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf";
    const TENS: &str =
        "zéro dix vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt";
    match (n / 100, n % 100) {
        (0, rest @ 0..20) => word(SMALL, rest).to_string(),
        (0, 80) => "quatre-vingts".to_string(),
        (0, rest) => {
            let tens = word(TENS, rest / 10);
            let unit = if matches!(rest / 10, 7 | 9) {
                rest % 10 + 10
            } else {
                rest % 10
            };
            match (rest / 10, unit) {
                (_, 0) => tens.to_string(),
                (2..=7, 1 | 11) => format!("{tens} et {}", word(SMALL, unit)),
                _ => format!("{tens}-{}", word(SMALL, unit)),
            }
        }
        (1, 0) => "cent".to_string(),
        (hundreds, 0) => format!("{} cents", word(SMALL, hundreds)),
        (1, rest) => format!("cent {}", french(rest)),
        (hundreds, rest) => format!("{} cent {}", word(SMALL, hundreds), french(rest)),
    }
}

pub(in crate::script) fn portuguese(n: usize) -> String {
    const SMALL: &str = "zero um dois três quatro cinco seis sete oito nove dez onze doze treze catorze quinze dezesseis dezessete dezoito dezenove";
    const TENS: &str = "zero dez vinte trinta quarenta cinquenta sessenta setenta oitenta noventa";
    const HUNDREDS: &str = "zero cento duzentos trezentos quatrocentos quinhentos seiscentos setecentos oitocentos novecentos";
    match (n / 100, n % 100) {
        (0, rest @ 0..20) => word(SMALL, rest).to_string(),
        (0, rest) if rest % 10 == 0 => word(TENS, rest / 10).to_string(),
        (0, rest) => format!("{} e {}", word(TENS, rest / 10), word(SMALL, rest % 10)),
        (1, 0) => "cem".to_string(),
        (hundreds, 0) => word(HUNDREDS, hundreds).to_string(),
        (hundreds, rest) => format!("{} e {}", word(HUNDREDS, hundreds), portuguese(rest)),
    }
}

pub(in crate::script) fn italian(n: usize) -> String {
    const SMALL: &str = "zero uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove";
    const TENS: &str =
        "zero dieci venti trenta quaranta cinquanta sessanta settanta ottanta novanta";
    match (n / 100, n % 100) {
        (0, rest @ 0..20) => word(SMALL, rest).to_string(),
        (0, rest) => {
            let tens = word(TENS, rest / 10);
            match rest % 10 {
                0 => tens.to_string(),
                1 | 8 => format!("{}{}", &tens[..tens.len() - 1], word(SMALL, rest % 10)),
                3 => format!("{tens}tré"),
                unit => format!("{tens}{}", word(SMALL, unit)),
            }
        }
        (hundreds, rest) => {
            let count = if hundreds == 1 {
                ""
            } else {
                word(SMALL, hundreds)
            };
            let stem = if (80..90).contains(&rest) {
                "cent"
            } else {
                "cento"
            };
            let tail = if rest == 0 {
                String::new()
            } else {
                italian(rest)
            };
            format!("{count}{stem}{tail}")
        }
    }
}
