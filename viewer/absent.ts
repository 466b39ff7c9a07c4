/** In place of Node's modules that xml2js imports and does without. */
export {}
