import { setDefaultTimeout } from '@cucumber/cucumber';

// What a busy machine can make of a second's work; no scenario depends on how long it takes.
setDefaultTimeout(60_000);
