import { readScannerModule } from '../test/support/scanner-module'
import { Scanner } from '../src/sitemap/scanner'
import { EXTRACTORS } from '../bench/extractors'
import { sampleSitemap } from '../bench/sample-sitemap'
const doc = sampleSitemap(10000)
const m = readScannerModule()
const time=(name:string,f:()=>void,n=60)=>{const ts:number[]=[];for(let i=0;i<n;i++){const t=performance.now();f();ts.push(performance.now()-t)};const first=ts[0]!;ts.sort((a,b)=>a-b);console.log(name,'first',first.toFixed(3),'median',ts[n>>1]!.toFixed(3),'min',ts[0]!.toFixed(3))}
time('instance', ()=>{ new Scanner(m,{siteId:'www.example.com',origin:'https://www.example.com',channels:[]}) })
const s = new Scanner(m,{siteId:'www.example.com',origin:'https://www.example.com',channels:[]})
const run=()=>{s.begin();for(let at=0;at<doc.length;at+=262144)for(const r of s.write(doc.subarray(at,at+262144)))void r}
time('scan, all duplicates, no channels', run)
const s2 = new Scanner(m,{siteId:'www.example.com',origin:'https://other.example.com',channels:[]})
const noise = sampleSitemap(10000).map(b=>b===60?61:b); 
time('copy only', ()=>{s.begin();for(let at=0;at<noise.length;at+=262144)for(const r of s.write(noise.subarray(at,at+262144)))void r})
const sc=(EXTRACTORS as any).scanner(10000); time('all', ()=>sc(doc))
