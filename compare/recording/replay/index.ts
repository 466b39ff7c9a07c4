export { decodeFrames, encodeFrames, MOST_CONTACTS, type ReplayFrames, ReplayRecorder } from './frames.ts'
export type { PageData, PageRun, PageSubject } from './page.ts'
export { type ReplayScene, sceneOf, sceneText } from './scene.ts'
export { decodeSeries, encodeSeries, type RunSeries, SERIES, type SeriesName, seriesNames, seriesOf, timeOf } from './series.ts'
