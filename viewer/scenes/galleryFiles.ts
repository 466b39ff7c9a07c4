/** The examples of the docs with their files, in one piece that is loaded with the first of them. */
export const texts = import.meta.glob(['../../docs/examples/*.{yaml,ts,urdf}', '../../docs/examples/default/{grip,brake}.yaml'], {
  query: '?raw',
  import: 'default',
  eager: true,
}) as Readonly<Record<string, string>>
