/** In place of Node's modules that xml2js asks for and does without. */
export {}
