"""What the skill says, by language, and the quiz."""

TEXTS = {
    "en": {
        "language": "en",
        "welcome": "Welcome to Tea Corner. You can say: brew some tea, suggest a tea, or start the "
        "quiz. What shall it be?",
        "help": "I know how long tea has to steep. You can say: brew some tea, how long is left, "
        "suggest a tea, send me samples, or start the quiz. What shall it be?",
        "brewing": "Your {tea} tea is steeping for {minutes} minutes. What else shall it be?",
        "left": "There are {minutes} minutes left. What else shall it be?",
        "nothing_brewing": "There is no tea in the pot. What else shall it be?",
        "no_such_tea": "I do not keep that one. What else shall it be?",
        "suggestion": "On a day like this I would have a green tea with a slice of lemon.",
        "ask_email": "With pleasure. What is your email address?",
        "sent": "I will write to you about the samples. What else shall it be?",
        "quiz": "Yes or no.",
        "right": "That is right.",
        "wrong": "That is not right.",
        "again": "That was the last question. Do you want to play again?",
        "goodbye": "Goodbye, and enjoy your cup!",
        "sorry": "Sorry, I did not understand that. What shall it be?",
    },
    "es": {
        "language": "es",
        "welcome": "Bienvenido al rincón del té. Puedes decir: prepara un té, recomienda un té, o "
        "empieza el concurso. ¿Qué quieres hacer?",
        "help": "Sé cuánto tarda cada té. Puedes decir: prepara un té, cuánto falta, recomienda un "
        "té, o empieza el concurso. ¿Qué quieres hacer?",
        "brewing": "Tu té {tea} tarda {minutes} minutos. ¿Qué más quieres hacer?",
        "left": "Faltan {minutes} minutos. ¿Qué más quieres hacer?",
        "nothing_brewing": "No hay té en la tetera. ¿Qué más quieres hacer?",
        "no_such_tea": "De ese no tengo. ¿Qué más quieres hacer?",
        "suggestion": "Hoy tomaría un té verde con limón.",
        "ask_email": "Con mucho gusto. ¿Cuál es tu correo electrónico?",
        "sent": "Te escribiré. ¿Qué más quieres hacer?",
        "quiz": "Sí o no.",
        "right": "Correcto.",
        "wrong": "No es correcto.",
        "again": "Era la última pregunta. ¿Quieres jugar otra vez?",
        "goodbye": "¡Adiós!",
        "sorry": "Perdona, no te he entendido. ¿Qué quieres hacer?",
    },
}

QUIZ = [
    {
        "en": "Do green and black tea come from the same plant?",
        "es": "¿El té verde y el negro vienen de la misma planta?",
        "right": True,
    },
    {
        "en": "Is rooibos grown in Japan?",
        "es": "¿Se cultiva el rooibos en Japón?",
        "right": False,
    },
    {
        "en": "Does white tea steep in boiling water?",
        "es": "¿Se prepara el té blanco con agua hirviendo?",
        "right": False,
    },
]
