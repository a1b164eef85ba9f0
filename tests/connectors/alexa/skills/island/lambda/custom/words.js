exports.question = 'Where do you dig?';
