/** urdf-loader's own loaders of meshes, in whose place `loadMeshCb` stands. */
export class STLLoader {}
export class ColladaLoader {}
