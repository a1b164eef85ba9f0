"""Values of Amazon's list types, enough to know a good one when it is said.

Amazon's own lists are long and unpublished. A text that is not here can still fill such a slot,
but with less certainty; so these lists decide only between readings.
"""

from collections.abc import Mapping

from sparring_connectors.alexa.slots.calendar import DAYS, MONTHS

_CITIES = (
    "new york|los angeles|chicago|houston|phoenix|philadelphia|san antonio|san diego|dallas|"
    "san jose|austin|jacksonville|san francisco|columbus|seattle|denver|boston|nashville|detroit|"
    "portland|las vegas|memphis|baltimore|milwaukee|albuquerque|atlanta|miami|minneapolis|"
    "new orleans|cleveland|tampa|orlando|pittsburgh|cincinnati|st louis|salt lake city|honolulu|"
    "new york city|washington|washington d c|kansas city|sacramento|raleigh|omaha|oakland|tulsa|"
    "charlotte|indianapolis|buffalo|anchorage|boise|santa fe"
)
_WORLD_CITIES = (
    "london|paris|berlin|madrid|rome|tokyo|beijing|delhi|mumbai|sydney|melbourne|toronto|"
    "vancouver|montreal|mexico city|dublin|edinburgh|manchester|birmingham|liverpool|glasgow|"
    "leeds|bristol|oxford|cambridge|munich|hamburg|vienna|zurich|geneva|brussels|amsterdam|"
    "barcelona|lisbon|athens|istanbul|moscow|cairo|singapore|hong kong|shanghai|seoul|bangkok|"
    "copenhagen|stockholm|oslo|helsinki|warsaw|prague|budapest|milan|venice|florence|naples"
)
_STATES = (
    "alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|"
    "hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|"
    "michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|new hampshire|new jersey|"
    "new mexico|new york|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|"
    "rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|washington|"
    "west virginia|wisconsin|wyoming"
)
_COUNTRIES = (
    "united states|america|united kingdom|england|scotland|wales|ireland|france|germany|spain|"
    "italy|portugal|netherlands|belgium|switzerland|austria|poland|sweden|norway|denmark|finland|"
    "greece|turkey|russia|china|japan|india|australia|new zealand|canada|mexico|brazil|argentina|"
    "chile|peru|colombia|egypt|south africa|nigeria|kenya|morocco|israel|saudi arabia|iran|iraq|"
    "thailand|vietnam|indonesia|philippines|malaysia|singapore|south korea|pakistan|ukraine"
)
_NAMES = (
    "james|john|robert|michael|william|david|richard|joseph|thomas|charles|mary|patricia|"
    "jennifer|linda|elizabeth|barbara|susan|jessica|sarah|karen|daniel|matthew|anthony|mark|"
    "paul|steven|andrew|kevin|brian|george|emily|emma|olivia|sophia|isabella|mia|charlotte|"
    "amelia|harper|anna|alice|bob|peter|lisa|laura|julia|kate|jane|jack|harry|oliver|noah|liam|"
    "ethan|lucas|henry|alexander|benjamin|samuel|max|adam|maria|ana|jose|carlos|juan|sam|alex|tom"
)
_COLORS = (
    "red|orange|yellow|green|blue|purple|pink|brown|black|white|gray|grey|violet|indigo|gold|"
    "silver|turquoise|teal|magenta|cyan|maroon|navy|beige|tan|lavender|crimson|lime|olive"
)
_FOOD = (
    "pizza|pasta|burger|hamburger|sandwich|salad|soup|steak|chicken|fish|sushi|taco|tacos|"
    "burrito|rice|bread|cheese|egg|eggs|bacon|ham|sausage|potato|potatoes|fries|tomato|carrot|"
    "broccoli|spinach|lettuce|onion|apple|banana|orange|grape|strawberry|blueberry|mango|"
    "pineapple|chocolate|cake|cookie|ice cream|pie|doughnut|milk|yogurt|butter|beef|pork|turkey|"
    "lamb|shrimp|salmon|tuna|beans|corn|peas|noodles|curry|cereal|oatmeal|pancakes|nuts"
)
_DRINKS = "water|coffee|tea|milk|juice|beer|wine|soda|cola|lemonade|cocoa|whiskey|vodka|cider"
_ANIMALS = (
    "dog|cat|horse|cow|pig|sheep|goat|chicken|duck|goose|turkey|rabbit|mouse|rat|hamster|lion|"
    "tiger|bear|wolf|fox|deer|elephant|giraffe|zebra|monkey|gorilla|kangaroo|koala|panda|"
    "penguin|eagle|owl|parrot|snake|lizard|turtle|frog|fish|shark|whale|dolphin|octopus|bee|ant"
)
_ACTORS = (
    "tom hanks|tom cruise|brad pitt|leonardo dicaprio|meryl streep|julia roberts|"
    "denzel washington|will smith|johnny depp|robert de niro|al pacino|nicole kidman|"
    "scarlett johansson|jennifer lawrence|emma stone|ryan gosling|matt damon|george clooney"
)
_SPORTS = (
    "football|soccer|basketball|baseball|tennis|golf|hockey|cricket|rugby|volleyball|swimming|"
    "boxing|cycling|running|skiing|surfing|skating|gymnastics"
)
_ROOMS = "kitchen|bedroom|living room|bathroom|dining room|office|garage|basement|attic|hallway"
_GENRES = "rock|pop|jazz|classical|country|blues|hip hop|rap|folk|metal|soul|reggae|electronic"
_LANGUAGES = (
    "english|german|french|spanish|italian|portuguese|dutch|russian|chinese|japanese|korean|"
    "hindi|arabic|turkish|polish|swedish|greek"
)


def _values(*lists: str) -> frozenset[str]:
    return frozenset(value for listed in lists for value in listed.split("|"))


_ALL_CITIES = _values(_CITIES, _WORLD_CITIES)
_LISTS: Mapping[str, frozenset[str]] = {
    "City": _ALL_CITIES,
    "Region": _values(_STATES),
    "US_CITY": _values(_CITIES),
    "EUROPE_CITY": _values(_WORLD_CITIES),
    "GB_CITY": _values(_WORLD_CITIES),
    "US_STATE": _values(_STATES),
    "Country": _values(_COUNTRIES),
    "FirstName": _values(_NAMES),
    "US_FIRST_NAME": _values(_NAMES),
    "GB_FIRST_NAME": _values(_NAMES),
    "Person": _values(_ACTORS, _NAMES),
    "Color": _values(_COLORS),
    "Food": _values(_FOOD),
    "Drink": _values(_DRINKS),
    "Animal": _values(_ANIMALS),
    "Actor": _values(_ACTORS),
    "Sport": _values(_SPORTS),
    "Room": _values(_ROOMS),
    "Genre": _values(_GENRES),
    "Language": _values(_LANGUAGES),
    "DayOfWeek": frozenset(DAYS),
    "Month": frozenset(MONTHS),
}


def known_values(slot_type: str) -> frozenset[str]:
    """The values known of a built-in list type, in lower case; empty for a type without list."""
    return _LISTS.get(slot_type.removeprefix("AMAZON."), frozenset())
