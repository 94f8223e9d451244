export { IsomorphicEngine } from './isomorphic-engine.ts';
