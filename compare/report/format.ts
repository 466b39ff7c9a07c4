/** Numbers and small marks as HTML. */
import { significant } from '../measure/numbers.ts'
import { escapeHtml } from './html.ts'
import type { Look } from './subject.ts'

/** A number as HTML, with a power of ten where it is very small or large. */
export const digits = (n: number) => (x: number) => {
  const [mantissa, exponent] = significant(x, n).split('e')
  const power = exponent === undefined ? '' : `\u00b710<sup>${exponent}</sup>`
  return (mantissa + power).replaceAll('-', '\u2212')
}

/** Keeps numbers and their units on one line. */
export const bound = (text: string) => text.replaceAll(/(\d) (?=%|ms?\b|mm\b|\u00b5s\b|s\b|N\b|J\b|kg\b)/g, '$1\u00a0')

/** The line that a run has in charts over time. */
export function swatch({ color, dash }: Pick<Look, 'color' | 'dash'>): string {
  const pattern = dash ? ` stroke-dasharray="${dash}"` : ''
  return `<svg class="swatch" viewBox="0 0 24 10" aria-hidden="true"><line x1="0" x2="24" y1="5" y2="5" style="stroke:${color}"${pattern}/></svg>`
}

/** Title of an element, in full on hover and for screen readers. */
export const titled = (text: string) => ` title="${escapeHtml(text)}"`
