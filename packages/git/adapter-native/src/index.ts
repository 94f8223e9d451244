export { NATIVE_ENGINE_MINIMUM_VERSION } from './minimum-version.ts';
export { NativeGitEngine, type NativeGitEngineOptions } from './native-git-engine.ts';
