/**
 * Where the system's locale is POSIX, Chromium calls its language `en-US@posix`, which Intl refuses and uPlot asks Intl for as it loads.
 * To be called before uPlot is loaded.
 *
 * @returns a language that Intl takes, which is now the browser's too
 */
export function mendLanguage(): string {
  try {
    return Intl.getCanonicalLocales(navigator.language)[0]
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en-US' })
    return 'en-US'
  }
}

export const language = mendLanguage()
