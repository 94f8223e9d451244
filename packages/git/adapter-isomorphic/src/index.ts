export { IsomorphicEngine, type IsomorphicEngineOptions } from './isomorphic-engine.ts';
export { ObjectDatabase } from './object-database.ts';
