"""Names of languages."""

from sparring.documents.checking import nearest

_NAMES = """
Afar|Abkhazian|Afrikaans|Akan|Albanian|Amharic|Arabic|Aragonese|Armenian|Assamese|Asturian|Avaric|
Aymara|Azerbaijani|Bambara|Bashkir|Basque|Belarusian|Bengali|Bislama|Bosnian|Breton|Bulgarian|
Burmese|Cantonese|Catalan|Chamorro|Chechen|Chichewa|Chinese|Chinese (Simplified)|
Chinese (Traditional)|Chuvash|Cornish|Corsican|Cree|Croatian|Czech|Danish|Dari|Divehi|Dutch|
Dzongkha|English|Esperanto|Estonian|Ewe|Faroese|Fijian|Filipino|Finnish|French|Fulah|Galician|
Ganda|Georgian|German|Greek|Guarani|Gujarati|Haitian Creole|Hausa|Hawaiian|Hebrew|Herero|Hindi|
Hiri Motu|Hmong|Hungarian|Icelandic|Ido|Igbo|Indonesian|Interlingua|Interlingue|Inuktitut|Inupiaq|
Irish|Italian|Japanese|Javanese|Kalaallisut|Kannada|Kanuri|Kashmiri|Kazakh|Khmer|Kikuyu|
Kinyarwanda|Komi|Kongo|Korean|Kurdish|Kwanyama|Kyrgyz|Lao|Latin|Latvian|Limburgish|Lingala|
Lithuanian|Luba-Katanga|Luxembourgish|Macedonian|Malagasy|Malay|Malayalam|Maltese|Mandarin|Manx|
Maori|Marathi|Marshallese|Moldovan|Mongolian|Montenegrin|Nauru|Navajo|Ndonga|Nepali|
North Ndebele|Northern Sami|Norwegian|Norwegian Bokmål|Norwegian Nynorsk|Nuosu|Occitan|Ojibwa|
Oriya|Oromo|Ossetian|Pali|Pashto|Persian|Polish|Portuguese|Punjabi|Quechua|Romanian|Romansh|
Rundi|Russian|Samoan|Sango|Sanskrit|Sardinian|Scottish Gaelic|Serbian|Shona|Sindhi|Sinhala|Slovak|
Slovenian|Somali|South Ndebele|Southern Sotho|Spanish|Sundanese|Swahili|Swati|Swedish|Tagalog|
Tahitian|Tajik|Tamil|Tatar|Telugu|Thai|Tibetan|Tigrinya|Tonga|Tsonga|Tswana|Turkish|Turkmen|Twi|
Ukrainian|Urdu|Uyghur|Uzbek|Valencian|Venda|Vietnamese|Volapük|Walloon|Welsh|Western Frisian|
Wolof|Xhosa|Yiddish|Yoruba|Zhuang|Zulu
"""

LANGUAGES: tuple[str, ...] = tuple(_NAMES.replace("\n", "").split("|"))
"""The languages a profile may name: those of ISO 639-1 and SENSEI's list."""

_FOLDED = {name.casefold(): name for name in LANGUAGES}


def language_name(text: str) -> str:
    """The usual spelling of a language's English name; raises ValueError naming the nearest."""
    name = _FOLDED.get(" ".join(text.split()).casefold())
    if name is None:
        known = nearest(text.strip().capitalize(), LANGUAGES).split(" Known:")[0]
        raise ValueError(f"unknown language {text[:40]!r}.{known} Give its English name.")
    return name
