/** The examples of the docs with what they name, in one piece that is loaded when the first of them is asked for. */
export const texts = import.meta.glob('../../docs/examples/*.{yaml,ts,urdf}', {
  query: '?raw',
  import: 'default',
  eager: true,
}) as Readonly<Record<string, string>>
