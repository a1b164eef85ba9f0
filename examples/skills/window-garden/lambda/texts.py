"""What the skill says, by language."""

TEXTS = {
    "en": {
        "welcome": "Welcome to Window Garden. You can say: add a plant, list my plants, "
        "plant care, or frost dates. What would you like to do?",
        "next": "What else would you like to do?",
        "added": "The {plant} is in your garden now. What else would you like to do?",
        "left_out": "Okay, I left it out. What else would you like to do?",
        "garden": "In your garden you have: {plants}. What else would you like to do?",
        "which": "Which plant would you like to know about?",
        "unknown": "I have not met that plant yet. What else would you like to do?",
        "care": "{advice} What else would you like to do?",
        "watered": "I wrote down that your plants have had their water.",
        "ask_zip": "Frost comes at different times everywhere. What is your zip code?",
        "no_zip": "That was not a zip code. What is your zip code?",
        "frost": "In your area the last frost comes in the middle of April. "
        "What else would you like to do?",
        "help": "I keep a list of your plants. You can say: add a plant, list my plants, "
        "how do I care for ivy, or I watered my plants. What would you like to do?",
        "goodbye": "Goodbye, and happy growing!",
        "sorry": "Sorry, I did not understand that. You can say help. What would you like to do?",
    },
    "de": {
        "welcome": "Willkommen im Fenstergarten. Sag zum Beispiel: neue Pflanze, meine Pflanzen, "
        "oder Pflege. Was möchtest du tun?",
        "next": "Was möchtest du noch tun?",
        "added": "{plant} steht jetzt in deinem Garten. Was möchtest du noch tun?",
        "left_out": "Gut, dann nicht. Was möchtest du noch tun?",
        "garden": "In deinem Garten stehen: {plants}. Was möchtest du noch tun?",
        "which": "Über welche Pflanze möchtest du etwas wissen?",
        "unknown": "Diese Pflanze kenne ich noch nicht. Was möchtest du noch tun?",
        "care": "{advice} Was möchtest du noch tun?",
        "watered": "Ich habe notiert, dass du gegossen hast.",
        "ask_zip": "Der Frost kommt überall zu anderer Zeit. Wie ist deine Postleitzahl?",
        "no_zip": "Das war keine Postleitzahl. Wie ist deine Postleitzahl?",
        "frost": "Bei dir kommt der letzte Frost Mitte April. Was möchtest du noch tun?",
        "help": "Ich führe eine Liste deiner Pflanzen. Sag zum Beispiel: neue Pflanze, meine "
        "Pflanzen, oder ich habe gegossen. Was möchtest du tun?",
        "goodbye": "Auf Wiedersehen!",
        "sorry": "Das habe ich nicht verstanden. Was möchtest du tun?",
    },
}

CARE = {
    "basil": {
        "en": "Basil wants six hours of sun, and water from below.",
        "de": "Basilikum braucht sechs Stunden Sonne und Wasser von unten.",
    },
    "fern": {
        "en": "A fern wants shade and moist air.",
        "de": "Farn mag Schatten und feuchte Luft.",
    },
    "ivy": {
        "en": "Ivy forgives everything but wet feet.",
        "de": "Efeu verzeiht alles außer Staunässe.",
    },
}
