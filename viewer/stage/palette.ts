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
      /** Around marks, so that they stand out from whatever is behind them. */
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
}
export type ThemeName = keyof typeof themes
export type Theme = (typeof themes)[ThemeName]
/** Of feature contacts: by role, of lines between surfaces, and of lines between contacts. */
export type FeatureColors = Theme['features']
