/**
 * Places of files that this package reads, starts or imports by URL. It runs in three forms: from its TypeScript sources, as the modules
 * of `dist/` that programs import, and as the bundle of `dist/command/` that the command and its workers run, whose entries
 * stand there under the names that they have in `dist/`.
 */
const self = import.meta.url
/** A module of its own in the first two forms, a part of a chunk in the third. */
const isBundled = !/\/assets\.[jt]s$/.test(self)
const isSource = self.endsWith('/assets.ts')
const bundle = new URL('../', self)
const tree = isBundled ? new URL('../../', self) : new URL('./', self)

/** Whether this is JavaScript, which worker threads can load. */
export const isBuilt = !isSource

/** A file or folder of the source tree that the build copies beside its modules. @param path from the root of the sources */
export const asset = (path: string): URL => new URL(path, tree)

/** A file of the package beside its code, such as `package.json` or one of `docs/`. @param path from the package's folder */
export const packageFile = (path: string): URL => new URL(isSource ? path : `../${path}`, tree)

/** What the build makes: the page, the report's script. @param path from `dist/` */
export const built = (path: string): URL => packageFile(`dist/${path}`)

/** A module that is started or imported by its URL. @param path from the root of the sources, without its ending */
export const moduleUrl = (path: string): URL => (isBundled ? new URL(`${path}.js`, bundle) : treeModule(path))

/** The same, never of the bundle: to be bundled itself. */
export const treeModule = (path: string): URL => new URL(`${path}${isSource ? '.ts' : '.js'}`, tree)
