"""The phrases of Amazon's standard intents, which trigger on these alone.

A skill gets such an intent only if it declares it. Phrases are compared as words, without
politeness around them.
"""

from sparring_connectors.alexa.slots.words import without_fillers, words_of

_ENGLISH: dict[str, str] = {
    "CancelIntent": "cancel|never mind|nevermind|forget it|cancel it|cancel that|forget that",
    "StopIntent": "stop|off|shut up|stop it|stop that|be quiet|quiet|that is enough|enough|"
    "stop talking|turn off|i am done|that is all|goodbye|good bye|bye",
    "HelpIntent": "help|help me|can you help me|i need help|what can i say|what can i do|"
    "what can you do|how does this work|how do i use this|what are my options|"
    "give me help|how do i play|how do i use this skill|what can i ask",
    "YesIntent": "yes|yeah|yep|yup|sure|correct|of course|absolutely|yes i do|yes i would|"
    "certainly|affirmative|sounds good|ok|okay|alright|all right|why not|i do|"
    "that is right|right|yes it is|yes let us do it|let us do it|definitely|indeed",
    "NoIntent": "no|nope|nah|no way|no thanks|no thank you|not really|negative|not now|"
    "i do not|i do not think so|no i do not|absolutely not|of course not|incorrect",
    "RepeatIntent": "repeat|say that again|repeat that|again|come again|what was that|"
    "say it again|can you repeat that|can you say that again|pardon|"
    "what did you say|repeat it|say again|one more time",
    "StartOverIntent": "start over|restart|start again|begin again|start from the beginning|reset",
    "NextIntent": "next|skip|skip forward|go forward|next one|skip this|skip it",
    "PreviousIntent": "previous|go back|back|skip back|back up|previous one",
    "PauseIntent": "pause|pause that|pause it|hold on|wait",
    "ResumeIntent": "resume|continue|keep going|go on|unpause|carry on",
    "MoreIntent": "more|show more|tell me more|show me more|more please",
    "NavigateHomeIntent": "go home|home|home screen|go to home|go to the home screen|navigate home",
    "NavigateSettingsIntent": "settings|go to settings|open settings|navigate to settings",
    "PageUpIntent": "page up|go up a page",
    "PageDownIntent": "page down|go down a page",
    "ScrollUpIntent": "scroll up",
    "ScrollDownIntent": "scroll down",
    "ScrollLeftIntent": "scroll left",
    "ScrollRightIntent": "scroll right",
    "LoopOnIntent": "loop|loop on|keep repeating|loop this|repeat on",
    "LoopOffIntent": "loop off|stop looping|turn off loop|repeat off",
    "ShuffleOnIntent": "shuffle|shuffle on|shuffle it|turn on shuffle|shuffle mode",
    "ShuffleOffIntent": "shuffle off|stop shuffling|turn off shuffle|unshuffle",
}
_OTHERS: dict[str, dict[str, str]] = {
    "de": {
        "CancelIntent": "abbrechen|vergiss es|abbruch",
        "StopIntent": "stopp|stop|halt|aus|beenden|aufhören|sei still|tschüss",
        "HelpIntent": "hilfe|hilf mir|kannst du mir helfen|was kann ich sagen",
        "YesIntent": "ja|ja bitte|jawohl|gerne|klar|natürlich|genau|richtig",
        "NoIntent": "nein|nein danke|nö|nicht|auf keinen fall",
        "RepeatIntent": "wiederholen|wiederhole|nochmal|noch einmal|sag das nochmal|wie bitte",
        "StartOverIntent": "neu starten|von vorne|neustart|von vorn anfangen",
        "NextIntent": "weiter|nächste|nächster|überspringen",
        "PreviousIntent": "zurück|vorherige|vorheriger",
        "PauseIntent": "pause|pausieren|anhalten",
        "ResumeIntent": "fortsetzen|weitermachen|fortfahren",
    },
    "es": {
        "CancelIntent": "cancelar|cancela|olvídalo|déjalo",
        "StopIntent": "para|detente|alto|basta|apaga|adiós|termina",
        "HelpIntent": "ayuda|ayúdame|qué puedo decir|necesito ayuda",
        "YesIntent": "sí|si|claro|por supuesto|vale|de acuerdo|correcto",
        "NoIntent": "no|no gracias|para nada",
        "RepeatIntent": "repite|repetir|otra vez|repítelo|qué has dicho",
        "StartOverIntent": "empezar de nuevo|reiniciar|comienza de nuevo",
        "NextIntent": "siguiente|próximo",
        "PreviousIntent": "anterior|atrás",
        "PauseIntent": "pausa|pausar",
        "ResumeIntent": "continuar|reanudar|sigue|continúa",
    },
    "fr": {
        "CancelIntent": "annuler|annule|laisse tomber|oublie",
        "StopIntent": "stop|arrête|arrêter|tais toi|ça suffit|au revoir",
        "HelpIntent": "aide|aide moi|j'ai besoin d'aide|que puis je dire|à l'aide",
        "YesIntent": "oui|ouais|bien sûr|d'accord|ok|exact",
        "NoIntent": "non|non merci|pas du tout",
        "RepeatIntent": "répète|répéter|encore une fois|redis le",
        "StartOverIntent": "recommencer|recommence|redémarre",
        "NextIntent": "suivant|suivante|prochain",
        "PreviousIntent": "précédent|précédente|retour",
        "PauseIntent": "pause",
        "ResumeIntent": "reprendre|reprends|continue|continuer",
    },
    "it": {
        "CancelIntent": "annulla|lascia stare|dimentica",
        "StopIntent": "stop|basta|ferma|fermati|smetti|arrivederci",
        "HelpIntent": "aiuto|aiutami|ho bisogno di aiuto|cosa posso dire",
        "YesIntent": "sì|si|certo|va bene|esatto|d'accordo",
        "NoIntent": "no|no grazie|per niente",
        "RepeatIntent": "ripeti|ripetere|ancora|di nuovo",
        "StartOverIntent": "ricomincia|ricominciare|riavvia",
        "NextIntent": "prossimo|avanti|successivo",
        "PreviousIntent": "precedente|indietro",
        "PauseIntent": "pausa",
        "ResumeIntent": "riprendi|continua",
    },
    "pt": {
        "CancelIntent": "cancelar|cancela|esquece|deixa pra lá",
        "StopIntent": "pare|parar|para|chega|tchau",
        "HelpIntent": "ajuda|me ajuda|preciso de ajuda|o que posso dizer",
        "YesIntent": "sim|claro|com certeza|certo|isso",
        "NoIntent": "não|não obrigado|de jeito nenhum",
        "RepeatIntent": "repetir|repete|de novo|outra vez",
        "StartOverIntent": "recomeçar|começar de novo|reiniciar",
        "NextIntent": "próximo|próxima|avançar",
        "PreviousIntent": "anterior|voltar",
        "PauseIntent": "pausa|pausar",
        "ResumeIntent": "continuar|retomar|continua",
    },
}


def _table(phrases: dict[str, str]) -> dict[tuple[str, ...], str]:
    """From the words of a phrase to the intent."""
    return {
        tuple(without_fillers(words_of(phrase))): f"AMAZON.{intent}"
        for intent, listed in phrases.items()
        for phrase in listed.split("|")
    }


_TABLES = {"en": _table(_ENGLISH)} | {name: _table(item) for name, item in _OTHERS.items()}


def builtin_intent(words: list[str], language: str) -> str | None:
    """The standard intent whose phrase the words are, whether a skill declares it or not.

    Languages without a table of their own have the English one.
    """
    table = _TABLES.get(language, _TABLES["en"])
    return table.get(tuple(words)) or table.get(tuple(without_fillers(words)))


def phrases_of(intent: str, language: str = "en") -> tuple[str, ...]:
    """What users say for a standard intent, for testers that want to say it."""
    listed = _OTHERS.get(language, _ENGLISH).get(intent.removeprefix("AMAZON."), "")
    return tuple(listed.split("|")) if listed else ()
