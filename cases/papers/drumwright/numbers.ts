/** How numbers are written in claims. */
export const significant = (x: number, digits = 3) => String(Number(x.toPrecision(digits)))
export const shortly = (x: number) => (x < 1e4 ? significant(x) : x.toExponential(1))
export const joules = (x: number) => `${x.toExponential(1)} J`
export const metres = (x: number) => `${x.toExponential(2)} m`
