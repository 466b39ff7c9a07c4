const namespace = 'http://www.w3.org/2000/svg'

/** A picture of 20 x 20 for a button, drawn by its outline. */
export function iconOf(path: string): SVGSVGElement {
  const svg = document.createElementNS(namespace, 'svg')
  svg.setAttribute('viewBox', '0 0 20 20')
  svg.setAttribute('aria-hidden', 'true')
  svg.classList.add('act-icon')
  const line = document.createElementNS(namespace, 'path')
  line.setAttribute('d', path)
  svg.append(line)
  return svg
}
