'use strict';

exports.PLANETS = {
  mars: 'Mars is the red dot low in the east.',
  jupiter: 'Jupiter is the brightest point in the south.',
  saturn: 'Saturn stands a hand wide above the roof.',
};

exports.STORIES = [
  'The seven sisters were so quick that Orion still runs after them.',
  'The great bear once had a short tail, until somebody threw it into the sky by it.',
  'The milky way is a backbone that holds the night up.',
];

const ENGLISH = {
  welcome:
    'Welcome to Star Porch. You can say: find a planet, tell me a story, or what is up tonight. What would you like?',
  whichPlanet: 'Which planet are you looking for: Mars, Jupiter, Saturn, or Venus?',
  more: 'What else would you like?',
  tonight: 'Tonight the moon sets early, and Jupiter is up until two.',
  anotherStory: 'Would you like another story?',
  fromTheStart: 'Those were all my stories. Shall I begin again?',
  saved: 'I wrote this night into your log, night number {count}. What else would you like?',
  askName: 'Lovely. What is your first name?',
  joined: 'Welcome to the club of the night owls. What else would you like?',
  noMore: 'No more stories, then. What would you like instead?',
  help:
    'I know the sky above your porch. You can say: find a planet, tell me a story, save this night, join the club, or what is up tonight. What would you like?',
  goodbye: 'Clear skies, and good night!',
  sorry: 'Sorry, I did not get that. What would you like?',
};

const BRITISH = { ...ENGLISH, saved: ENGLISH.saved.replace('log', 'diary') };

exports.texts = (locale) => (locale === 'en-GB' ? BRITISH : ENGLISH);
