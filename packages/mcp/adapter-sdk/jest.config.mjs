import preset from '../../../jest.preset.mjs';
export default { ...preset, displayName: 'mcp-adapter-sdk' };
