export {
  messageChannelContract,
  type ChannelPeer,
  type MessageChannelSubject,
} from './message-channel.contract.ts';
