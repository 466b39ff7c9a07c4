/**
 * One colour for each model that is shown at a time. Hues of Okabe and Ito's palette (2008), which people with any common
 * colour vision deficiency tell apart, at lightnesses that stand out from a light and a dark background.
 */
export const laneColors = ['#2f9be6', '#f08c00', '#c2569b'] as const

export interface Theme {
  readonly background: string
  readonly ground: string
  readonly gridMinor: string
  readonly gridMajor: string
  readonly skyLight: number
}

export const themes = {
  light: { background: '#e8eaec', ground: '#b4b8bc', gridMinor: '#a2a7ac', gridMajor: '#868c92', skyLight: 1 },
  dark: { background: '#15181b', ground: '#2b2f33', gridMinor: '#3a3f44', gridMajor: '#525960', skyLight: 0.75 },
} satisfies Record<string, Theme>
export type ThemeName = keyof typeof themes
