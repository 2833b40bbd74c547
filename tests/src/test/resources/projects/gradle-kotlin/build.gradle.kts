plugins {
    kotlin("jvm") version "2.3.0"
    application
}

repositories {
    mavenCentral()
    maven(providers.gradleProperty("chagresRepository"))
}

dependencies {
    implementation(platform("io.chagres:chagres-bom:0.1.0-SNAPSHOT"))
    implementation("io.chagres:chagres-fuse")
}

kotlin {
    jvmToolchain(25)
}

// Java compiles module-info.java alone, and has to see what Kotlin compiled of the same module.
tasks.compileJava {
    options.compilerArgumentProviders.add(CommandLineArgumentProvider {
        listOf("--patch-module", "demo=${sourceSets.main.get().output.asPath}")
    })
}

application {
    mainModule = "demo"
    mainClass = "demo.GreetingKt"
    applicationDefaultJvmArgs = listOf("--enable-native-access=io.chagres.foreign")
}
