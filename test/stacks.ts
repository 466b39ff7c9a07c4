/** Lines of tests, sources and scripts as Node finds them; vitest's own stacks know only what vite has loaded. */
Reflect.deleteProperty(Error, 'prepareStackTrace')
process.setSourceMapsEnabled(true)
