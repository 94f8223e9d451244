import preset from '../../../jest.preset.mjs';
export default { ...preset, displayName: 'file-tools-adapter-fs' };
