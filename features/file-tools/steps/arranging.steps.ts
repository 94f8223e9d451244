import { After, Given } from '@cucumber/cucumber';
import { closeStages, onEachStage } from './stage.ts';

After(async function () {
  await closeStages(this);
});

/** `\n`, `\r` and `\t` as in a string literal. */
export const unescaped = (text: string): string => JSON.parse(`"${text.replaceAll('"', '\\"')}"`) as string;

Given('the file {string} holds {string}', async function (path: string, text: string) {
  await onEachStage(this, ({ room }) => room.world.plantFile(`sandbox/${path}`, unescaped(text)));
});
Given('the file {string} holds the bytes {string}', async function (path: string, hex: string) {
  await onEachStage(this, ({ room }) =>
    room.world.plantFile(`sandbox/${path}`, Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'))),
  );
});
Given('the file {string} has mode {string}', async function (path: string, mode: string) {
  await onEachStage(this, ({ room }) =>
    room.world.plantFile(`sandbox/${path}`, 'content', Number.parseInt(mode, 8)),
  );
});
Given('the directory {string}', async function (path: string) {
  await onEachStage(this, ({ room }) => room.world.plantDirectory(`sandbox/${path}`));
});
Given('{string} beside the sandbox holds {string}', async function (path: string, text: string) {
  await onEachStage(this, ({ room }) => room.world.plantFile(path, text));
});
Given('the link {string} leads to {string}', async function (path: string, target: string) {
  await onEachStage(this, ({ room }) => room.world.plantLink(`sandbox/${path}`, target));
});
Given('calls are recorded for plan {string}', async function (planId: string) {
  await onEachStage(this, (stage) => stage.record(planId));
});
