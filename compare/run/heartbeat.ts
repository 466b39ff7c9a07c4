/**
 * What the heartbeat of a thread shows besides what `ControllerLoopOptions.heartbeat` says: a controller is loaded, and what it left
 * behind is waited for.
 */
export const LOADING = -2
export const LEAVING = -5
