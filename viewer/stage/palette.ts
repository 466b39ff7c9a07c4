/** Of feature contacts: by role, of lines between surfaces, and of lines between contacts. */
export interface FeatureColors {
  readonly idle: string
  readonly passedBy: string
  readonly active: string
  readonly pushing: string
  readonly gap: string
  readonly overlap: string
  readonly link: string
  /** Around marks, so that they stand out from whatever is behind them. */
  readonly rim: string
}

export interface Theme {
  readonly features: FeatureColors
  readonly background: string
  readonly ground: string
  readonly gridMinor: string
  readonly gridMajor: string
  readonly skyLight: number
}

export const themes = {
  light: {
    background: '#e8eaec',
    ground: '#b4b8bc',
    gridMinor: '#a2a7ac',
    gridMajor: '#868c92',
    skyLight: 1,
    // apart in lightness too, so that roles differ without hue
    features: {
      idle: '#5f676f',
      passedBy: '#0072b2',
      active: '#00402e',
      pushing: '#d13a00',
      gap: '#00795a',
      overlap: '#a3005c',
      link: '#1c1f23',
      rim: '#ffffff',
    },
  },
  dark: {
    background: '#15181b',
    ground: '#2b2f33',
    gridMinor: '#3a3f44',
    gridMajor: '#525960',
    skyLight: 0.75,
    features: {
      idle: '#8b949d',
      passedBy: '#4aa8e8',
      active: '#9ff5d8',
      pushing: '#ff7a3d',
      gap: '#3fd3a2',
      overlap: '#ff7ab8',
      link: '#e8eaed',
      rim: '#15181b',
    },
  },
} satisfies Record<string, Theme>
export type ThemeName = keyof typeof themes
