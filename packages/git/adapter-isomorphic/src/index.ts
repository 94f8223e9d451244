export { gitFileSystem } from './git-file-system.ts';
export { IsomorphicEngine, type IsomorphicEngineOptions } from './isomorphic-engine.ts';
export { ObjectDatabase } from './object-database.ts';
export { findRepository, type RepositoryLayout } from './repository-layout.ts';
